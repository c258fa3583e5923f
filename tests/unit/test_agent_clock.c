/* Each kind of clock in a process without a JVM, from the signal to the recording: weights add up to the threads' CPU time, books
 * balance, and nothing stays behind.
 * tier: default
 * timeout: 600
 *
 * Bounds. The weights of a perf clock may be lower than a thread's CPU time by less than its last period (at most 1.5 intervals), and
 * higher by one interval; 0.5 % is allowed in addition. A thread timer looks at the clock when a tick of the scheduler finds its thread
 * running: the time that a thread used since then is at worst exponential with the mean of a tick, so 14 ticks for one thread and 24 for
 * five are exceeded once in a million. On a busy machine the scheduler may take the CPU away before each tick, so one more tick is
 * allowed for each time it did so within those 14. The process timer is right for the process only. If a thread has ended, its known CPU
 * time comes from the last scan, or from its perf clock; in the latter the kernel sometimes counts a wait for a CPU at the very end. A
 * user who may not sample the kernel loses each expiry there: at most 2 % of them for a thread that burns, and six standard deviations.
 * First expiries: Kolmogorov-Smirnov against the uniform distribution by the perf clock's own count, critical at 2.7 / sqrt(n), false
 * alarm 2 exp(-2 * 2.7^2) < 1e-6, and 2 % for the time until a thread sees its own sample. */
#include "../tap.h"
#include "session.h"

#include "agent/collect/collect.h"
#include "agent/hot/signal/action.h"
#include "agent/hot/signal/handler.h"
#include "agent/record/machine.h"
#include "agent/trigger/threads.h"
#include "base/text/units.h"
#include "profile/load/load_jfr.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SA_RESTORER
#define SA_RESTORER 0x04000000 /* the C library's own; installed after a handler was set once */
#endif

enum { MS = 1000000, INTERVAL = MS, SCAN_PERIOD = 100 * MS, SIGNALS = 32, BUSY = 4, TAIL_TICKS = 14 };

extern char **environ;

static char file[64];
static enum clock_kind kind;

static int own_tid(void)
{
    return (int)syscall(SYS_gettid);
}

static uint64_t longest_turn; /* CPU time of the collector, since the start */

static bool start(uint64_t interval_ns)
{
    longest_turn = 0;
    return session_start(file, kind, interval_ns);
}

/* Runs the collector's ticks until *left is 0. */
static void collect_until(_Atomic int *left)
{
    struct timespec pause = {.tv_nsec = COLLECT_PERIOD_MS * MS};
    uint64_t last = clock_monotonic_ns();
    while (*left) {
        nanosleep(&pause, NULL);
        collect_tick();
        uint64_t now = clock_monotonic_ns();
        longest_turn = now - last > longest_turn ? now - last : longest_turn;
        last = now;
    }
}

/* As the kernel sees the handlers: the C library would return what the program wants. */
static void dispositions(struct kernel_action *out)
{
    for (int s = 1; s < SIGNALS; s++)
        action_exchange(s, NULL, &out[s]);
}

/* The SIGTRAP handler stays and does nothing; all other handlers must be as they were before. */
static int changed(const struct kernel_action *before)
{
    struct kernel_action now[SIGNALS];
    dispositions(now);
    for (int s = 1; s < SIGNALS; s++)
        if (s != SIGTRAP &&
            (now[s].handler.plain != before[s].handler.plain || (now[s].flags ^ before[s].flags) & ~(unsigned long)SA_RESTORER))
            return s;
    return 0;
}

/* ---- weights and books ---- */

struct worker {
    pthread_t thread;
    int tid;
    uint64_t burn_ns, cpu;
    long switches; /* CPU time taken by other threads, in the last TAIL_TICKS */
    double wall;   /* from the thread's first work to its end */
    bool exits;    /* while it is armed */
};

static struct worker workers[BUSY];
static _Atomic int left;
static pthread_barrier_t phase; /* all workers exist; the recording runs */
static pthread_barrier_t end;   /* the threads that stay, and the recording, are finished */

static uint64_t tick_ns(void)
{
    struct clock c = {.kind = kind};
    return machine_clock_resolution_ns(&c);
}

static long own_switches(void)
{
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw + used.ru_nivcsw;
}

static void *work(void *argument)
{
    struct worker *w = argument;
    w->tid = own_tid();
    pthread_barrier_wait(&phase);
    pthread_barrier_wait(&phase);
    uint64_t before = own_cpu();
    uint64_t tail = TAIL_TICKS * tick_ns();
    tail = tail < w->burn_ns ? tail : w->burn_ns;
    burn(w->burn_ns - tail);
    long switches = own_switches();
    burn(tail);
    w->switches = own_switches() - switches;
    w->cpu = own_cpu() - before;
    left--;
    if (!w->exits)
        pthread_barrier_wait(&end);
    return NULL;
}

static uint64_t weight_of(const struct profile *p, int tid)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->sample_count; i++)
        if (p->threads[p->samples[i].thread].os_id == (uint64_t)tid)
            sum += p->samples[i].weight;
    return sum;
}

static int64_t cpu_of(const struct profile *p, int tid)
{
    for (uint32_t i = 0; i < p->thread_count; i++)
        if (p->threads[i].os_id == (uint64_t)tid && p->threads[i].cpu_known)
            return (int64_t)p->threads[i].cpu_ns;
    return -1;
}

#ifdef __SANITIZE_ADDRESS__
enum { INSTRUMENTED = true };
#else
enum { INSTRUMENTED = false };
#endif

static double lost_in_kernel(double cpu)
{
    double expiries = 0.02 * cpu / INTERVAL;
    return (expiries + 6 * sqrt(expiries)) * INTERVAL;
}

static void check_threads(const struct profile *p, const struct clock *c)
{
    double scanned = SCAN_PERIOD + (double)longest_turn;
    for (int i = 0; i < BUSY; i++) {
        const struct worker *w = &workers[i];
        double sum = (double)weight_of(p, w->tid), cpu = (double)w->cpu;
        double late = kind == CLOCK_TIMER ? (double)(TAIL_TICKS + w->switches) * (double)tick_ns() : 0.5 * INTERVAL;
        double slack = 0.005 * cpu + (c->kernel ? 0 : lost_in_kernel(cpu));
        /* Instrumented handlers spend about half of the CPU time in the kernel, which the clocks of some users cannot see. */
        bool shows_all = c->kernel || !INSTRUMENTED;
        tap_ok((!shows_all || sum > cpu - INTERVAL - late - slack) && sum < cpu + INTERVAL + slack,
               "%s: a thread of %.3f ms CPU has weights of %.3f ms", clock_names[kind], cpu / MS, sum / MS);
        double known = (double)cpu_of(p, w->tid);
        double unknown = w->exits && kind == CLOCK_TIMER ? scanned + MS : 0.02 * cpu + MS;
        double most = w->exits && kind != CLOCK_TIMER ? w->wall + MS : 1.02 * cpu + MS;
        tap_ok(known > cpu - unknown && known < most, "%s: and %.3f ms by its own clock", clock_names[kind], known / MS);
    }
}

static int64_t account(const struct profile *p, const char *name, const char *reason)
{
    const struct profile_book *b = profile_book(p, name, reason);
    return b ? b->ns : 0;
}

static void check_books_close(const struct profile *p)
{
    int64_t cpu = account(p, "cpu", ""), sum = 0;
    for (uint32_t i = 0; i < p->book_count; i++) {
        const char *name = profile_text(p, p->books[i].account);
        if (strcmp(name, "cpu") && strcmp(name, "own_cost"))
            sum += p->books[i].ns;
    }
    tap_ok(cpu > 0 && sum == cpu, "%s: the books balance", clock_names[kind]);
}

static void check_books(const struct profile *p)
{
    int64_t cpu = account(p, "cpu", ""), residual = account(p, "residual", ""), samples = 0;
    for (uint32_t i = 0; i < p->book_count; i++) {
        const char *name = profile_text(p, p->books[i].account);
        if (!strcmp(name, "failed") || !strcmp(name, "complete") || !strcmp(name, "truncated"))
            samples += (int64_t)p->books[i].count;
    }
    check_books_close(p);
    tap_ok(samples == (int64_t)p->cpu_samples && samples > 0, "%s: %lld samples, as many as events", clock_names[kind], (long long)samples);
    double ticks = 24;
    for (int i = 0; i < BUSY; i++)
        ticks += (double)workers[i].switches;
    double bound = 0.005 * (double)cpu + (BUSY + 1) * 1.5 * INTERVAL + (tick_ns() > 100 ? ticks * (double)tick_ns() : 0);
    tap_ok(fabs((double)residual) < bound, "%s: residual %.3f ms of %.3f ms, bound %.3f ms", clock_names[kind], (double)residual / MS,
           (double)cpu / MS, bound / MS);
}

static void check_recording(void)
{
    struct profile p;
    struct clock c = {0};
    profile_init(&p);
    int rc = profile_load_jfr(&p, file, &session_error);
    if (tap_ok(!rc, "%s: the recording reads", clock_names[kind])) {
        const char *kernel = profile_setting(&p, "kernel"), *name = profile_setting(&p, "clock");
        c.kernel = kernel && !strcmp(kernel, "included");
        tap_ok(name && !strcmp(name, clock_names[kind]), "%s: it says which clock it was", clock_names[kind]);
        check_books(&p);
        if (kind != CLOCK_ITIMER)
            check_threads(&p, &c);
    }
    profile_deinit(&p);
}

static void test_weights(void)
{
    struct kernel_action before[SIGNALS];
    int files = open_files();
    dispositions(before);
    pthread_barrier_init(&phase, NULL, BUSY + 1);
    pthread_barrier_init(&end, NULL, BUSY / 2 + 1);
    left = BUSY;
    for (int i = 0; i < BUSY; i++) {
        workers[i] = (struct worker){.burn_ns = (uint64_t)(60 + 140 * i) * MS, .exits = i % 2};
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    pthread_barrier_wait(&phase);
    bool good = start(INTERVAL);
    uint64_t begin = clock_monotonic_ns();
    pthread_barrier_wait(&phase);
    collect_until(&left);
    good = good && session_stop();
    pthread_barrier_wait(&end);
    for (int i = 0; i < BUSY; i++) {
        pthread_join(workers[i].thread, NULL);
        workers[i].wall = (double)(clock_monotonic_ns() - begin);
    }
    pthread_barrier_destroy(&phase);
    pthread_barrier_destroy(&end);
    tap_ok(good, "%s: starts and stops", clock_names[kind]);
    tap_ok(changed(before) == 0, "%s: the signals do what they did before (%d)", clock_names[kind], changed(before));
    tap_ok(open_files() == files, "%s: no descriptor is left", clock_names[kind]);
    check_recording();
}

/* Records while a thread runs, until it and the threads that it starts, `count` in all, have subtracted themselves from `left`. */
static bool record_thread(void *(*run)(void *), int count, uint64_t interval_ns)
{
    pthread_t t;
    left = count;
    bool good = start(interval_ns);
    pthread_create(&t, NULL, run, NULL);
    collect_until(&left);
    pthread_join(t, NULL);
    return session_stop() && good;
}

static void *lack_clock(void *unused)
{
    struct timespec two_books = {.tv_sec = 2, .tv_nsec = 100 * MS};
    threads_java_begin(0, 0, "fallen");
    struct sampled_thread *t = thread_of_caller();
    burn(20 * MS);
    t->clock.lacks_clock = true;
    nanosleep(&two_books, NULL);
    t->clock.lacks_clock = false;
    threads_java_end();
    left--;
    return NULL;
}

/* An account that falls to zero: as if a thread had been without a clock for two seconds. */
static void test_fallen_account(void)
{
    struct profile p;
    bool good = record_thread(lack_clock, 1, INTERVAL);
    profile_init(&p);
    good = !profile_load_jfr(&p, file, &session_error) && good;
    tap_ok(good && profile_book(&p, "unseen", "no_clock") && !account(&p, "unseen", "no_clock"),
           "%s: an account that falls to nothing is nothing in the end", clock_names[kind]);
    check_books_close(&p);
    profile_deinit(&p);
}

/* ---- threads that block all signals ---- */

static uint64_t used_blocked;

static void *block_and_burn(void *unused)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_setname_np(pthread_self(), "deaf");
    burn(600 * MS);
    used_blocked = own_cpu();
    left--;
    pthread_barrier_wait(&phase);
    return NULL;
}

/* An expiry that waits until its signal is unblocked stands for the time until then: the thread ends together with its recording. */
static void test_deaf_thread(void)
{
    struct profile p;
    pthread_t t;
    bool named = false;
    left = 1;
    pthread_barrier_init(&phase, NULL, 2);
    bool good = start(INTERVAL);
    pthread_create(&t, NULL, block_and_burn, NULL);
    collect_until(&left);
    good = session_stop() && good;
    pthread_barrier_wait(&phase);
    pthread_join(t, NULL);
    pthread_barrier_destroy(&phase);
    profile_init(&p);
    good = !profile_load_jfr(&p, file, &session_error) && good;
    double seen = (double)account(&p, "unseen", "signals_blocked") / (double)used_blocked;
    for (uint32_t i = 0; i < p.problem_count; i++)
        named = named || strstr(profile_text(&p, p.problems[i].text), "deaf");
    if (kind == CLOCK_ITIMER)
        tap_ok(good && named, "%s: a thread that blocks the signal is named", clock_names[kind]);
    else
        tap_ok(good && named && seen > 0.9 && seen < 1.02, "%s: the time of a thread that blocks the signal has an account, %.3f of it",
               clock_names[kind], seen);
    check_books_close(&p);
    profile_deinit(&p);
}

/* ---- after the end ---- */

static _Atomic int strays;

static void count_stray(int signal)
{
    strays++;
}

static void *burn_twice(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_barrier_wait(&phase);
        burn(40 * MS);
        pthread_barrier_wait(&phase);
    }
    return NULL;
}

/* Threads that were sampled continue without a signal; each may get the one signal that was on its way when the recording ended. */
static void test_silence(void)
{
    static const int signals[] = {SIGTRAP, SIGURG, SIGPROF, SIGVTALRM, SIGSTKFLT, SIGIO};
    struct sigaction own = {.sa_handler = count_stray}, former[6];
    strays = 0;
    pthread_t threads[2];
    pthread_barrier_init(&phase, NULL, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, burn_twice, NULL);
    bool good = start(INTERVAL);
    pthread_barrier_wait(&phase);
    pthread_barrier_wait(&phase);
    good = good && session_stop();
    for (int i = 0; i < 6; i++)
        sigaction(signals[i], &own, &former[i]);
    pthread_barrier_wait(&phase);
    pthread_barrier_wait(&phase);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 6; i++)
        sigaction(signals[i], &former[i], NULL);
    tap_ok(good && strays <= 2, "%s: no signal comes after the end, but those on their way (%d)", clock_names[kind], strays);
    pthread_barrier_destroy(&phase);
}

static void *burn_deaf(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_barrier_wait(&phase);
    pthread_barrier_wait(&phase);
    burn(80 * MS);
    pthread_barrier_wait(&phase); /* sampled */
    pthread_barrier_wait(&phase); /* stopped */
    sigemptyset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    burn(5 * MS);
    return NULL;
}

/* A thread that blocks the signal has one signal pending when the recording ends. */
static void test_blocked(void)
{
    struct kernel_action before[SIGNALS];
    pthread_t thread;
    dispositions(before);
    pthread_barrier_init(&phase, NULL, 2);
    pthread_create(&thread, NULL, burn_deaf, NULL);
    pthread_barrier_wait(&phase);
    bool good = start(INTERVAL);
    pthread_barrier_wait(&phase);
    pthread_barrier_wait(&phase);
    collect_tick();
    good = good && session_stop();
    tap_ok(good, "%s: a recording with a thread that blocks all signals ends", clock_names[kind]);
    int other = changed(before);
    tap_ok(kind == CLOCK_SIGTRAP || kind == CLOCK_ITIMER ? !other : other != 0,
           "%s: the handler stays for as long as the signal is pending (%d)", clock_names[kind], other);
    pthread_barrier_wait(&phase);
    pthread_join(thread, NULL);
    tap_ok(true, "%s: nothing dies when the signal comes at last", clock_names[kind]);
    pthread_barrier_destroy(&phase);
    good = start(INTERVAL) && session_stop();
    tap_ok(good && !changed(before), "%s: the next recording puts the former handler back", clock_names[kind]);
}

/* ---- processes and threads that come and go ---- */

static int status_of(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static void test_children(void)
{
    char *const command[] = {(char *)"sh", (char *)"-c", (char *)"i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", NULL};
    pid_t spawned, pid;
    bool good = start(INTERVAL);
    burn(5 * MS);
    pid = fork();
    if (!pid) {
        burn(20 * MS);
        execv("/bin/sh", command);
        _exit(1);
    }
    int rc = posix_spawn(&spawned, "/bin/sh", NULL, NULL, command, environ);
    burn(5 * MS);
    collect_tick();
    int forked = status_of(pid), other = rc ? -1 : status_of(spawned);
    good = session_stop() && good;
    tap_ok(good && !forked, "%s: a forked child runs, becomes a shell and ends normally (status %x)", clock_names[kind], forked);
    tap_ok(!other, "%s: and so does a spawned one (status %x)", clock_names[kind], other);
}

static void *live_briefly(void *argument)
{
    burn((uint64_t)(uintptr_t)argument % 7 * MS / 2);
    left--;
    return NULL;
}

static void *start_many(void *unused)
{
    for (uintptr_t i = 0; i < 200; i++) {
        pthread_t t;
        if (!pthread_create(&t, NULL, live_briefly, (void *)i))
            pthread_detach(t);
        else
            left--;
    }
    left--;
    return NULL;
}

static void test_churn(void)
{
    int files = open_files();
    bool good = record_thread(start_many, 201, INTERVAL);
    tap_ok(good && open_files() == files, "%s: 200 threads that end while they are armed", clock_names[kind]);
}

/* ---- a thread id that is reused between two scans ---- */

enum { REUSED_MS = 250, PATIENCE_MS = 60000 };

static uint32_t uid_of(int tid)
{
    uint32_t slot = atomic_load(&thread_slot_of_tid[tid]);
    return slot && atomic_load(&sampled_threads[slot - 1].slot) == SLOT_LIVE ? sampled_threads[slot - 1].uid : 0;
}

/* Waits for a clock of its own before it works: a scan cannot recognize a new thread that has used more CPU time than the previous
 * thread with its id. */
static void *burn_when_armed(void *former_uid)
{
    struct timespec pause = {.tv_nsec = MS};
    struct worker *w = &workers[0];
    uint32_t uid = 0;
    w->tid = own_tid();
    for (int i = 0; i < PATIENCE_MS && (!uid || uid == (uintptr_t)former_uid); i++) {
        nanosleep(&pause, NULL);
        uid = uid_of(w->tid);
    }
    burn((uint64_t)REUSED_MS * MS);
    left--;
    return (void *)(uintptr_t)uid;
}

static bool next_thread_gets(int tid)
{
    FILE *f = fopen("/proc/sys/kernel/ns_last_pid", "w");
    bool good = f && fprintf(f, "%d", tid - 1) > 0;
    return f && !fclose(f) && good;
}

static uint32_t run_thread(uint32_t former_uid)
{
    pthread_t t;
    void *uid = NULL;
    left = 1;
    if (pthread_create(&t, NULL, burn_when_armed, (void *)(uintptr_t)former_uid))
        return 0;
    collect_until(&left);
    return pthread_join(t, &uid) ? 0 : (uint32_t)(uintptr_t)uid;
}

static void test_reused_id(void)
{
    struct profile p;
    bool good = start(INTERVAL), possible = false, same = false;
    int tid = 0;
    for (int i = 0; i < 50 && good && !same; i++) {
        uint32_t uid = run_thread(0);
        good = uid != 0;
        tid = workers[0].tid;
        possible = next_thread_gets(tid);
        if (!possible)
            break;
        good = good && run_thread(uid);
        same = workers[0].tid == tid;
    }
    good = session_stop() && good;
    if (!same) {
        tap_skip("%s, a thread id used again: %s", clock_names[kind],
                 possible ? "other processes are faster" : "ns_last_pid cannot be written");
        return;
    }
    profile_init(&p);
    good = !profile_load_jfr(&p, file, &session_error) && good;
    double seen = (double)weight_of(&p, tid) / MS, unseen = 2 * (14.0 * (double)tick_ns() / MS + 2);
    tap_ok(good && seen > 2 * REUSED_MS - unseen, "%s: both threads that had one id are sampled (%.1f of %d ms)", clock_names[kind], seen,
           2 * REUSED_MS);
    profile_deinit(&p);
}

/* ---- the first expiry ---- */

enum { SHORT_THREADS = 400, FIRST_INTERVAL = 10 * MS, SELDOM = 100000 };

static double first[SHORT_THREADS];
static _Atomic int first_count;

/* Arms itself, as Java threads do, and runs until it sees its first sample, measured with the clock in which the period was set. */
static void *until_first(void *unused)
{
    threads_java_begin(0, 0, "short");
    const struct sampled_thread *t = &sampled_threads[atomic_load(&thread_slot_of_tid[own_tid()]) - 1];
    uint64_t begin = own_cpu();
    for (int i = 1; !counter_get(&t->counts.samples) && (i % SELDOM || own_cpu() - begin < 2 * FIRST_INTERVAL); i++)
        ;
    first[first_count++] = (double)clock_count(t) / FIRST_INTERVAL;
    threads_java_end();
    return NULL;
}

static void *start_short(void *unused)
{
    for (int i = 0; i < SHORT_THREADS; i++) {
        pthread_t t;
        pthread_create(&t, NULL, until_first, NULL);
        pthread_join(t, NULL);
    }
    left--;
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void test_first_expiry(void)
{
    double worst = 0, critical = 2.7 / sqrt(SHORT_THREADS) + 0.02;
    first_count = 0;
    bool good = record_thread(start_short, 1, FIRST_INTERVAL);
    qsort(first, SHORT_THREADS, sizeof *first, by_size);
    for (int i = 0; i < SHORT_THREADS; i++) {
        double uniform = fmin(first[i], 1); /* the distribution function: one late sample is one in n, however late it is */
        double above = fabs((i + 1.0) / SHORT_THREADS - uniform), below = fabs((double)i / SHORT_THREADS - uniform);
        worst = fmax(worst, fmax(above, below));
    }
#ifdef __SANITIZE_ADDRESS__
    tap_note("distance %.3f, critical %.3f", worst, critical);
    tap_skip("first expiries are uniform: an instrumented thread takes too long to see its own sample");
#else
    tap_ok(good && worst < critical, "%s: first expiries are uniform in (0, interval]: distance %.3f, critical %.3f", clock_names[kind],
           worst, critical);
#endif
}

/* ---- the way back from a handler ---- */

static int nobody_returns_here;

/* Where a handler needs no function to return to the kernel, the JVM and the C library leave that member of an action as they find it: it
 * is whatever was in memory. */
static void test_odd_restorer(void)
{
    static const int signals[] = {SIGURG, SIGPROF, SIGTRAP};
    struct kernel_action before[SIGNALS], odd = {.handler.plain = SIG_DFL, .restorer = (void (*)(void))(uintptr_t)&nobody_returns_here},
                                          now;
    bool good = true;
    dispositions(before);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (before[signals[i]].handler.plain == SIG_DFL)
            action_exchange(signals[i], &odd, NULL);
    good = start(INTERVAL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        good = !action_exchange(signals[i], NULL, &now) && !(now.flags & SA_RESTORER && now.restorer == odd.restorer) && good;
    tap_ok(good, "%s: a handler does not return through what a former action happened to contain", clock_names[kind]);
    burn(20 * MS);
    tap_ok(session_stop(), "%s: the recording ends", clock_names[kind]);
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-clock-%d.jfr", (int)getpid());
    for (kind = CLOCK_SIGTRAP; kind < CLOCK_KINDS; kind++) {
        struct clock c;
        if (clock_choose(&c, kind, INTERVAL, &session_error)) {
            tap_skip("%s: %s", clock_names[kind], session_error.text);
            continue;
        }
        test_odd_restorer();
        test_weights();
        if (kind != CLOCK_ITIMER)
            test_fallen_account();
        test_silence();
        test_blocked();
        test_deaf_thread();
        test_children();
        test_churn();
        test_reused_id();
        if (kind == CLOCK_SIGTRAP || kind == CLOCK_SIGNAL)
            test_first_expiry();
    }
    unlink(file);
    return tap_done();
}
