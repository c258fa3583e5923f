/* Threads that live for less than an interval, in the way of Java threads: they announce their beginning and their end, and run for a
 * while after the end. Their samples must weigh what they used, their time after the end must be booked, and the number of descriptors
 * must stay bounded.
 * tier: default
 * timeout: 240
 *
 * Bounds. A thread of CPU time c has floor(c / interval) expiries or one more, by chance: its weights have a standard deviation of at
 * most half an interval, and those of n threads of sqrt(n) / 2 intervals; 5 of them are allowed. In addition 3 % of the CPU time is
 * allowed for differences between the clocks of threads and of events, and in the residual 50 us for each thread: after the kernel has
 * read the thread's event for the last time, the thread still uses 5 to 20 us. */
#include "../tap.h"
#include "session.h"

#include "agent/collect/collect.h"
#include "agent/trigger/clocks/exits.h"
#include "agent/trigger/threads.h"
#include "profile/load/load_jfr.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { US = 1000, MS = 1000000, MANY = EXITS_MAX + 200 };

static char file[64];
static enum clock_kind kind;
static _Atomic int left;

static void work(long steps)
{
    for (volatile long i = 0; i < steps; i++)
        ;
}

/* The number of calls of work() that take so long on an idle machine. Each thread measures how long they really take. */
static long steps_of(uint64_t ns)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = own_cpu();
        work(MS);
        uint64_t took = own_cpu() - before;
        best = took < best ? took : best;
    }
    return (long)((double)MS * (double)ns / (double)best);
}

/* The collector's ticks, while fn runs in a thread of its own. */
static void collect_while(void *(*fn)(void *))
{
    pthread_t thread;
    struct timespec pause = {.tv_nsec = COLLECT_PERIOD_MS * MS};
    left = 1;
    pthread_create(&thread, NULL, fn, NULL);
    while (left) {
        nanosleep(&pause, NULL);
        collect_tick();
    }
    pthread_join(thread, NULL);
}

static bool load(struct profile *p)
{
    profile_init(p);
    int rc = profile_load_jfr(p, file, &session_error);
    if (rc)
        tap_note("%s", session_error.text);
    return rc == 0;
}

static double weight_of(const struct profile *p, const char *name)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->sample_count; i++)
        if (!strcmp(profile_text(p, p->threads[p->samples[i].thread].name), name))
            sum += (double)p->samples[i].weight;
    return sum;
}

static double account(const struct profile *p, const char *name, const char *reason)
{
    const struct profile_book *b = profile_book(p, name, reason);
    return b ? (double)b->ns : 0;
}

/* ---- threads that live for less than an interval ---- */

static struct {
    int threads;
    uint64_t interval_ns, after_ns;
    long steps;
    _Atomic uint64_t seen_ns, afterwards_ns; /* CPU time that samples can show, and CPU time after the end of the clock */
} plan;

static void *live(void *unused)
{
    threads_java_begin(0, 0, "short");
    const struct sampled_thread *t = &sampled_threads[atomic_load(&thread_slot_of_tid[syscall(SYS_gettid)]) - 1];
    uint64_t begin = t->clock.cpu_at_arming + t->clock.blind_ns;
    work(plan.steps);
    uint64_t end = own_cpu();
    threads_java_end();
    plan.seen_ns += end > begin ? end - begin : 0;
    burn_until(end + plan.after_ns);
    plan.afterwards_ns += own_cpu() - end;
    return NULL;
}

static void *live_one_by_one(void *unused)
{
    for (int i = 0; i < plan.threads; i++) {
        pthread_t t;
        pthread_create(&t, NULL, live, NULL);
        pthread_join(t, NULL);
    }
    left--;
    return NULL;
}

static void test_short(int threads, uint64_t interval_ns, uint64_t life_ns)
{
    struct profile p;
    plan.threads = threads;
    plan.interval_ns = interval_ns;
    plan.after_ns = life_ns;
    plan.steps = steps_of(life_ns);
    plan.seen_ns = plan.afterwards_ns = 0;
    bool good = session_start(file, kind, interval_ns);
    collect_while(live_one_by_one);
    good = session_stop() && good;
    if (!tap_ok(load(&p) && good, "%s: %d threads of %llu us", clock_names[kind], threads, (unsigned long long)life_ns / US)) {
        profile_deinit(&p);
        return;
    }
    double weight = weight_of(&p, "short"), cpu = account(&p, "cpu", "");
    double chance = 2.5 * sqrt(threads) * (double)interval_ns, bound = chance + 0.03 * cpu;
    tap_ok(fabs(weight - (double)plan.seen_ns) < bound, "%s: they have weights of %.2f ms, used %.2f ms, bound %.2f ms", clock_names[kind],
           weight / MS, (double)plan.seen_ns / MS, bound / MS);
    double after = account(&p, "unseen", "after_exit"), afterwards = (double)plan.afterwards_ns;
    tap_ok(after > 0.97 * afterwards, "%s: booked after their end: %.2f ms, at least %.2f ms", clock_names[kind], after / MS,
           afterwards / MS);
    double residual = account(&p, "residual", "");
    bound += 50.0 * US * threads;
    tap_ok(fabs(residual) < bound, "%s: residual %.2f ms of %.2f ms, bound %.2f ms", clock_names[kind], residual / MS, cpu / MS,
           bound / MS);
    profile_deinit(&p);
}

/* ---- descriptors ---- */

static void *end_at_once(void *unused)
{
    threads_java_begin(0, 0, "leaving");
    threads_java_end();
    return NULL;
}

/* No scan happens meanwhile. The process may have this many descriptors, and `most` of them may be ours. */
static void test_descriptors(rlim_t limit, int most)
{
    struct rlimit old, now;
    getrlimit(RLIMIT_NOFILE, &old);
    now = (struct rlimit){limit ? limit : old.rlim_cur, old.rlim_max};
    setrlimit(RLIMIT_NOFILE, &now);
    int before = open_files();
    bool good = session_start(file, kind, 10 * MS);
    int running = open_files();
    for (int i = 0; i < MANY; i++) {
        pthread_t t;
        pthread_create(&t, NULL, end_at_once, NULL);
        pthread_join(t, NULL);
    }
    int at_most = open_files();
    /* The last of them may take a moment to leave the kernel. */
    struct timespec pause = {.tv_nsec = 10 * MS};
    for (int i = 0; i < 2000 && open_files() > running; i++) {
        nanosleep(&pause, NULL);
        threads_scan();
    }
    int at_last = open_files();
    good = session_stop() && good;
    tap_ok(good && at_most <= running + most, "%s: %d threads that ended hold %d descriptors, %d may they", clock_names[kind], MANY,
           at_most - running, most);
    tap_ok(at_last == running, "%s: and none when they are gone (%d)", clock_names[kind], at_last - running);
    tap_ok(open_files() == before, "%s: no descriptor is left", clock_names[kind]);
    setrlimit(RLIMIT_NOFILE, &old);
}

/* ---- a thread that leaves Java and lives on ---- */

static bool sampled_again;

static void *leave_java(void *unused)
{
    threads_java_begin(0, 0, "both");
    threads_java_end();
    uint64_t begin = own_cpu();
    sampled_again = false;
    while (!sampled_again && own_cpu() < begin + UINT64_C(20000) * MS) {
        burn_until(own_cpu() + 10 * MS);
        uint32_t slot = atomic_load(&thread_slot_of_tid[syscall(SYS_gettid)]);
        sampled_again = slot && counter_get(&sampled_threads[slot - 1].counts.samples) > 20;
    }
    left--;
    return NULL;
}

static void test_left_java(void)
{
    struct profile p;
    bool good = session_start(file, kind, MS);
    collect_while(leave_java);
    good = session_stop() && good;
    good = load(&p) && good;
    double residual = account(&p, "residual", ""), cpu = account(&p, "cpu", "");
    tap_ok(good && sampled_again, "%s: a thread that left Java and lives on is sampled again", clock_names[kind]);
    /* For a thread with a timer, 14 ticks of the scheduler may be unseen at its end (test_agent_clock.c). */
    double bound = 0.03 * cpu + 3 * MS + (kind == CLOCK_TIMER ? 60 * MS : 0);
    tap_ok(fabs(residual) < bound, "%s: and its books balance: residual %.2f ms of %.2f ms, bound %.2f ms", clock_names[kind],
           residual / MS, cpu / MS, bound / MS);
    profile_deinit(&p);
}

/* ---- a thread that has ended, but still exists ---- */

static bool is_zombie(int tid)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *f = fopen(path, "r");
    const char *state = f && fgets(text, sizeof text, f) ? strrchr(text, ')') : NULL;
    bool zombie = state && state[2] == 'Z';
    if (f)
        fclose(f);
    return zombie;
}

static void *record_without_leader(void *unused)
{
    struct profile p;
    struct timespec pause = {.tv_nsec = MS};
    while (!is_zombie(getpid()))
        nanosleep(&pause, NULL);
    bool good = session_start(file, kind, MS);
    burn_until(own_cpu() + 20 * MS);
    collect_tick();
    good = session_stop() && good;
    good = load(&p) && good;
    for (uint32_t i = 0; i < p.problem_count; i++)
        good = good && !strstr(profile_text(&p, p.problems[i].text), "clock");
    good = good && account(&p, "unseen", "no_clock") == 0;
    _exit(good ? 0 : 1);
}

static void test_dead_leader(void)
{
    int status = -1;
    pid_t pid = fork();
    if (!pid) {
        pthread_t t;
        pthread_create(&t, NULL, record_without_leader, NULL);
        pthread_exit(NULL);
    }
    waitpid(pid, &status, 0);
    tap_ok(!status, "%s: a thread that has ended is not one without a clock (status %x)", clock_names[kind], status);
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-churn-%d.jfr", (int)getpid());
    for (kind = CLOCK_SIGTRAP; kind <= CLOCK_TIMER; kind++) {
        struct clock c;
        if (clock_choose(&c, kind, MS, &session_error)) {
            tap_skip("%s: %s", clock_names[kind], session_error.text);
            continue;
        }
        if (kind != CLOCK_TIMER && c.kernel) {
            test_short(1000, MS, 600 * US);
            test_short(2000, 200 * US, 60 * US); /* less than the shortest interval, too */
        }
        test_descriptors(0, EXITS_MAX);
        test_descriptors(128, 128 / 8 + 1);
        test_left_java();
        test_dead_leader();
    }
    unlink(file);
    return tap_done();
}
