/* A clock that counts events instead of CPU time, in a process without a JVM: the weights of the samples add up to the kernel's own
 * count for a thread, the books balance, and if this machine cannot count an event, one line says so.
 * tier: default
 * timeout: 120
 *
 * Bounds. A thread's weights may be lower than its events by less than its last period (at most 1.5 intervals), and higher by one
 * interval, whatever chance does. While a new period is set, every 16 samples, nothing is counted; these are the events of the handler
 * itself, one of a hundred at most. */
#include "../tap.h"
#include "session.h"

#include "agent/hot/signal/room.h"
#include "agent/trigger/clocks/clock.h"
#include "base/time_units.h"
#include "profile/load/load_jfr.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    PAGES = 20000,
    SLEEPS = 3000,
    HOPS = 3000,
    INTERVAL = 50,
    DEEP_FAULTS = 50,
    SIGNAL_STACK_PAGES = 256,
    FRAMES_MOST = 3 /* a trap, a load that faults in its handler, and one more trap with it */
};
enum truth { FAULTS, SWITCHES, MIGRATIONS, TRUTHS };

static char file[64];
static pthread_barrier_t phase;
static _Atomic bool done;

struct worker {
    pthread_t thread;
    int tid;
    void (*work)(void);
    long truth[TRUTHS]; /* by the kernel's own count; migrations: those that were requested */
};

static long hops;

static void touch_pages(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
    volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
    madvise((void *)memory, size, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < size; at += page)
        memory[at] = 1;
    munmap((void *)memory, size);
}

static void sleep_often(void)
{
    struct timespec moment = {.tv_nsec = 1000};
    for (int i = 0; i < SLEEPS; i++)
        nanosleep(&moment, NULL);
}

/* Moves from one processor to another, and back. */
static void hop(void)
{
    cpu_set_t all, one;
    int first = 0, second;
    sched_getaffinity(0, sizeof all, &all);
    while (first < CPU_SETSIZE && !CPU_ISSET(first, &all))
        first++;
    for (second = first + 1; second < CPU_SETSIZE && !CPU_ISSET(second, &all); second++)
        ;
    hops = 0;
    for (int i = 0; second < CPU_SETSIZE && i < HOPS; i++) {
        CPU_ZERO(&one);
        CPU_SET(i % 2 ? second : first, &one);
        hops += !sched_setaffinity(0, sizeof one, &one);
    }
}

static size_t pages_of(const char *stack, size_t size)
{
    unsigned char resident[SIGNAL_STACK_PAGES];
    size_t sum = 0, page = (size_t)sysconf(_SC_PAGESIZE);
    if (mincore((void *)stack, size, resident))
        return SIZE_MAX;
    for (size_t i = 0; i < size / page; i++)
        sum += resident[i] & 1;
    return sum;
}

static size_t deepest; /* pages of the signal stack that one fault has used */

/* Touches a page, while the signal stack is not in memory. So the kernel itself faults when it writes a signal's frame. */
static void fault_without_stack(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = SIGNAL_STACK_PAGES * page;
    volatile char *stack = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        return;
    madvise((void *)stack, size + page, MADV_NOHUGEPAGE);
    sigaltstack(&(stack_t){.ss_sp = (void *)stack, .ss_size = size}, NULL);
    deepest = 0;
    for (int i = 0; i < DEEP_FAULTS; i++) {
        madvise((void *)stack, size + page, MADV_DONTNEED);
        stack[size] = 1;
        size_t pages = pages_of((const char *)stack, size);
        deepest = pages > deepest ? pages : deepest;
    }
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    munmap((void *)stack, size + page);
}

static void rest(void)
{
}

static void *run(void *argument)
{
    struct worker *w = argument;
    struct rusage before, after;
    w->tid = (int)syscall(SYS_gettid);
    pthread_barrier_wait(&phase); /* it exists */
    pthread_barrier_wait(&phase); /* it is recorded */
    getrusage(RUSAGE_THREAD, &before);
    w->work();
    getrusage(RUSAGE_THREAD, &after);
    w->truth[FAULTS] = after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt;
    w->truth[SWITCHES] = after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw;
    if (w->work != rest) {
        w->truth[MIGRATIONS] = hops;
        done = true;
    }
    pthread_barrier_wait(&phase); /* the recording has ended */
    return NULL;
}

static bool record(enum clock_kind kind, const char *event, uint32_t interval, struct worker *busy, struct worker *idle, bool *started)
{
    struct collect_options o = {.events = COLLECT_CPU, .clock = kind, .interval_ns = interval, .event_interval = interval};
    struct timespec pause = {.tv_nsec = COLLECT_PERIOD_MS * NS_PER_MS};
    snprintf(o.file, sizeof o.file, "%s", file);
    done = false;
    pthread_barrier_init(&phase, NULL, 3);
    pthread_create(&busy->thread, NULL, run, busy);
    pthread_create(&idle->thread, NULL, run, idle);
    pthread_barrier_wait(&phase);
    *started = !event_counter_find(&o.counter, event, &session_error) && session_start_with(&o);
    pthread_barrier_wait(&phase);
    for (int turns = 0; turns < 2; turns += done) {
        nanosleep(&pause, NULL);
        if (*started)
            collect_tick();
    }
    bool good = *started && session_stop();
    pthread_barrier_wait(&phase);
    pthread_join(busy->thread, NULL);
    pthread_join(idle->thread, NULL);
    pthread_barrier_destroy(&phase);
    return good;
}

static double weight_of(const struct profile *p, int tid)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->sample_count; i++)
        if (p->threads[p->samples[i].thread].os_id == (uint64_t)tid)
            sum += (double)p->samples[i].weight;
    return sum;
}

static int64_t book(const struct profile *p, const char *account)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->book_count; i++)
        if (!strcmp(profile_text(p, p->books[i].account), account))
            sum += p->books[i].ns;
    return sum;
}

static void check(const char *what, const char *event, const struct worker *busy, long truth, const struct worker *idle)
{
    struct profile p;
    profile_init(&p);
    bool good = !profile_load_jfr(&p, file, &session_error);
    tap_ok(good && p.unit == PROFILE_UNIT_OTHER && !strcmp(profile_unit_word(&p), "events") && !strcmp(profile_text(&p, p.value), event) &&
               p.sample_count,
           "%s: %u samples of %s", what, p.sample_count, event);
    for (uint32_t i = 0; i < p.problem_count; i++) {
        bool bad = !strcmp(profile_text(&p, p.problems[i].level), "error");
        tap_note("%s", profile_text(&p, p.problems[i].text));
        good = good && !bad;
    }
    double weight = weight_of(&p, busy->tid);
    tap_ok(truth >= INTERVAL && weight > (double)truth * 0.99 - 1.5 * INTERVAL && weight < (double)truth * 1.01 + 1.5 * INTERVAL,
           "%s: the weights are %.0f of the %ld that the kernel counted", what, weight, truth);
    tap_ok(weight_of(&p, idle->tid) <= 2 * INTERVAL, "%s: a thread that rests has %.0f", what, weight_of(&p, idle->tid));
    int64_t all = book(&p, "events"), sampled = book(&p, "events_complete") + book(&p, "events_truncated") + book(&p, "events_failed");
    int64_t rest_of_it = book(&p, "events_lost") + book(&p, "events_residual");
    tap_ok(good && all == sampled + rest_of_it && (uint64_t)sampled == p.weight, "%s: the books balance: %lld = %lld + %lld", what,
           (long long)all, (long long)sampled, (long long)rest_of_it);
    const struct profile_book *line = profile_book(&p, "events", "");
    double residual = (double)book(&p, "events_residual"), most = (line ? (double)line->count : 0) * 1.5 * INTERVAL + 0.01 * (double)truth;
    tap_ok(residual >= -most && residual <= most, "%s: the residual is %.0f, at most %.0f of %llu threads", what, residual, most,
           line ? (unsigned long long)line->count : 0);
    tap_ok(all > truth * 99 / 100 && !book(&p, "cpu"), "%s: all threads have had %lld", what, (long long)all);
    tap_ok(book(&p, "events_enabled_time") > 0 && book(&p, "events_running_time") == book(&p, "events_enabled_time") &&
               book(&p, "events_unscaled") == all,
           "%s: the kernel counts its own events all the time", what);
    profile_deinit(&p);
}

static void test_event(const char *event, void (*work)(void), enum truth truth)
{
    static const enum clock_kind kinds[] = {CLOCK_SIGTRAP, CLOCK_SIGNAL};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char what[64];
        bool started;
        struct worker busy = {.work = work}, idle = {.work = rest};
        snprintf(what, sizeof what, "%s by %s", event, clock_names[kinds[i]]);
        bool good = record(kinds[i], event, INTERVAL, &busy, &idle, &started);
        if (!started) {
            tap_skip("%s: %s", what, session_error.text);
            continue;
        }
        tap_ok(good, "%s: recorded", what);
        if (truth == MIGRATIONS && !busy.truth[truth])
            tap_skip("%s: this process has one processor", what);
        else
            check(what, event, &busy, busy.truth[truth], &idle);
    }
}

/* A handler that is itself the cause of events must not interrupt itself again and again: each frame of a signal may be larger than a page,
 * so the kernel faults for every one of them. */
static void test_own_faults(enum clock_kind kind)
{
    bool started;
    struct worker busy = {.work = fault_without_stack}, idle = {.work = rest};
    bool good = record(kind, "page-faults", 1, &busy, &idle, &started);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t most = (FRAMES_MOST * getauxval(AT_MINSIGSTKSZ) + ROOM_OWN_BYTES) / page + 1;
    if (!started)
        tap_skip("every page fault by %s: %s", clock_names[kind], session_error.text);
    else
        tap_ok(good && deepest && deepest <= most, "every page fault by %s: its handler uses %zu pages of stack, at most %zu",
               clock_names[kind], deepest, most);
}

/* If the machine can count the event, it does; otherwise the message says what is missing. */
static void test_absent(const char *event)
{
    struct event_counter counter;
    struct clock c;
    bool known = !event_counter_find(&counter, event, &session_error);
    int rc = known ? clock_choose_counting(&c, CLOCK_AUTO, &counter, counter.interval, &session_error) : 0;
    tap_ok(known && (!rc || (strstr(session_error.text, event) && !strchr(session_error.text, '\n') &&
                             (strstr(session_error.text, "page-faults") || strstr(session_error.text, "perf_event_paranoid")))),
           "%s: %s", event, rc ? session_error.text : "counted here");
}

static void test_refusals(void)
{
    struct event_counter cycles, switches;
    struct clock c;
    char text[256];
    event_counter_find(&cycles, "cycles", &session_error);
    event_counter_find(&switches, "context-switches", &session_error);
    tap_ok(strstr(event_counter_refusal(&cycles, -ENOENT, text, sizeof text), "virtual machine") &&
               strstr(event_counter_refusal(&cycles, -EACCES, text, sizeof text), "perf_event_paranoid to 2") &&
               strstr(event_counter_refusal(&switches, -EACCES, text, sizeof text), "perf_event_paranoid to 1") &&
               strstr(event_counter_refusal(&switches, -ENOSYS, text, sizeof text), strerror(ENOSYS)),
           "each refusal has its remedy");
    tap_ok(clock_choose_counting(&c, CLOCK_TIMER, &switches, 1, &session_error) == -EINVAL && strstr(session_error.text, "timer"),
           "a timer counts no events: %s", session_error.text);
}

static void test_scaling(void)
{
    struct event_reading all = {1000, 50, 50}, half = {1000, 100, 50}, none = {0, 100, 0}, odd = {7, 10, 20};
    tap_ok(event_reading_scaled(&all) == 1000 && event_reading_scaled(&half) == 2000 && event_reading_scaled(&none) == 0 &&
               event_reading_scaled(&odd) == 7,
           "a count of half the time stands for twice as many");
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-events-%d.jfr", (int)getpid());
    test_scaling();
    test_refusals();
    test_absent("cycles");
    test_absent("LLC-load-misses");
    test_absent("r1a2b");
    test_event("page-faults", touch_pages, FAULTS);
    test_event("minor-faults", touch_pages, FAULTS);
    test_event("context-switches", sleep_often, SWITCHES);
    test_event("cpu-migrations", hop, MIGRATIONS);
    test_own_faults(CLOCK_SIGTRAP);
    test_own_faults(CLOCK_SIGNAL);
    unlink(file);
    return tap_done();
}
