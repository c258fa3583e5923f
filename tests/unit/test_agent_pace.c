/* Clocks that are slowed down, by a budget or because a sample takes too long: there are fewer samples, each weighs the time for which
 * it stands, and every expiry that did not happen is in the books.
 * tier: default
 * timeout: 300
 *
 * Bounds. There is no limit until the budget has measured the first tenth of a second, and each thread adopts the pace at its next
 * expiry. So a second's worth of expiries at the requested interval is allowed. A thread's weights may lack its last period, now that of
 * the pace; with a timer, 14 more ticks (test_agent_clock.c). */
#include "../tap.h"
#include "session.h"

#include "agent/collect/collect.h"
#include "agent/hot/signal/handler.h"
#include "agent/record/machine.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "profile/load/load_jfr.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { INTERVAL = NS_PER_MS / 2, RATE = 50, THREADS = 2, DEPTH = 1500, TICKS = 14 };

static char file[64];
static _Atomic int left;
static uint64_t used_ns[THREADS];

struct work {
    int number;
    bool deep;
};

static void burn_and_count(int number, uint64_t ns)
{
    uint64_t before = own_cpu();
    burn(ns);
    used_ns[number] = own_cpu() - before;
}

static __attribute__((noinline)) void burn_below(volatile int depth, int number, uint64_t ns)
{
    if (depth)
        burn_below(depth - 1, number, ns);
    else
        burn_and_count(number, ns);
    depth = 0; /* so that no call is in tail position */
}

static void *work(void *argument)
{
    const struct work *w = argument;
    if (w->deep)
        burn_below(DEPTH, w->number, 2000 * NS_PER_MS);
    else
        burn_and_count(w->number, 2000 * NS_PER_MS);
    left--;
    return NULL;
}

static void run(bool deep)
{
    pthread_t threads[THREADS];
    struct work all[THREADS];
    struct timespec pause = {.tv_nsec = COLLECT_PERIOD_MS * NS_PER_MS};
    left = THREADS;
    for (int i = 0; i < THREADS; i++) {
        all[i] = (struct work){i, deep};
        pthread_create(&threads[i], NULL, work, &all[i]);
    }
    while (left) {
        nanosleep(&pause, NULL);
        collect_tick();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static const struct profile_book *suppressed(const struct profile *p, const char *why)
{
    static const struct profile_book none;
    const struct profile_book *line = profile_book(p, "suppressed", why);
    return line ? line : &none;
}

/* The weights of all samples add up to the CPU time of the threads, whatever the pace was. For an ordinary user the kernel's time is
 * missing. */
static void check_weights(const struct profile *p, const char *what, uint64_t pace_ns)
{
    struct clock c;
    uint64_t used = 0;
    const char *kernel = profile_setting(p, "kernel");
    for (int i = 0; i < THREADS; i++)
        used += used_ns[i];
    clock_choose(&c, CLOCK_AUTO, INTERVAL, &session_error);
    double bound = THREADS * (1.5 * (double)pace_ns + TICKS * 4.0 * NS_PER_MS) + 0.02 * (double)used;
    bool all = kernel && !strcmp(kernel, "included");
    double missing = (double)used - (double)p->weight;
    tap_ok(missing < bound + (all ? 0 : 0.2 * (double)used) && -missing < bound, "%s: weights of %.0f ms for %.0f ms, bound %.0f", what,
           (double)p->weight / NS_PER_MS, (double)used / NS_PER_MS, bound / NS_PER_MS);
}

static void test_rate(enum clock_kind kind)
{
    const char *what = clock_names[kind];
    struct collect_status status;
    struct profile p;
    uint64_t began = clock_monotonic_ns();
    if (!tap_ok(session_start_limited(file, kind, INTERVAL, (struct budget_limits){.max_rate = RATE}), "%s: starts", what))
        return;
    run(false);
    collect_status(0, &status);
    tap_ok(session_stop(), "%s: stops", what);
    double seconds = (double)(clock_monotonic_ns() - began) / NS_PER_S, most = RATE * seconds + THREADS * 1000.0 * NS_PER_MS / INTERVAL;
    profile_init(&p);
    if (tap_ok(!profile_load_jfr(&p, file, &session_error), "%s: reads back", what)) {
        const struct profile_book *budget = suppressed(&p, "budget");
        tap_ok(status.pace_ns > 3 * (uint64_t)INTERVAL, "%s: the status tells the pace, %llu us", what,
               (unsigned long long)status.pace_ns / 1000);
        tap_ok(p.cpu_samples < most && p.cpu_samples > 50, "%s: %llu samples in %.1f s, %.0f at most", what,
               (unsigned long long)p.cpu_samples, seconds, most);
        tap_ok(budget->count > 1000 && budget->ns > 500 * NS_PER_MS, "%s: %llu expiries of %lld ms were suppressed", what,
               (unsigned long long)budget->count, (long long)budget->ns / NS_PER_MS);
        check_weights(&p, what, status.pace_ns);
    }
    profile_deinit(&p);
}

/* Samples with 1,500 frames each, ten thousand a second: with this interval they would leave no time to the threads. */
static void test_costly(void)
{
    struct profile p;
    if (!tap_ok(session_start(file, CLOCK_AUTO, CLOCK_INTERVAL_MIN_NS), "costly: starts"))
        return;
    run(true);
    tap_ok(session_stop(), "costly: stops");
    profile_init(&p);
    if (tap_ok(!profile_load_jfr(&p, file, &session_error), "costly: reads back")) {
        const struct profile_book *costly = suppressed(&p, "costly_stacks");
        tap_ok(costly->count > 500 && costly->ns > 1000 * NS_PER_MS, "costly: %llu expiries of %lld ms were suppressed",
               (unsigned long long)costly->count, (long long)costly->ns / NS_PER_MS);
        tap_ok(!suppressed(&p, "budget")->count, "costly: none by a budget, there is none");
        tap_note("costly: a sample every %.0f us", (double)p.weight / (double)(p.cpu_samples + 1) / 1000);
        check_weights(&p, "costly", 10 * NS_PER_MS);
    }
    profile_deinit(&p);
}

/* The mean of this many draws from a range is off by 5 standard errors once in a million; ranges of one or three values are covered
 * completely. */
static void test_draw(uint64_t interval, uint64_t least, uint64_t most)
{
    enum { DRAWS = 10000 };
    uint64_t state = 88172645463325252, lowest = UINT64_MAX, highest = 0;
    double sum = 0, error = (double)(most - least + 1) / sqrt(12.0 * DRAWS);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t period = handler_draw_period(&state, interval);
        lowest = period < lowest ? period : lowest;
        highest = period > highest ? period : highest;
        sum += (double)period;
    }
    bool whole = most - least > 10 || (lowest == least && highest == most);
    tap_ok(lowest >= least && highest <= most && whole && fabs(sum / DRAWS - (double)interval) <= 5 * error,
           "periods around %llu: %llu to %llu, %.1f on average", (unsigned long long)interval, (unsigned long long)lowest,
           (unsigned long long)highest, sum / DRAWS);
}

int main(void)
{
    test_draw(1, 1, 1);
    test_draw(2, 1, 3);
    test_draw(3, 2, 4);
    test_draw(10 * NS_PER_MS, 5 * NS_PER_MS, 15 * NS_PER_MS);
    snprintf(file, sizeof file, "/tmp/candor-pace-%d.jfr", (int)getpid());
    for (enum clock_kind kind = CLOCK_SIGTRAP; kind < CLOCK_KINDS; kind++) {
        struct clock c;
        if (clock_choose(&c, kind, INTERVAL, &session_error))
            tap_skip("%s: %s", clock_names[kind], session_error.text);
        else
            test_rate(kind);
    }
    test_costly();
    unlink(file);
    return tap_done();
}
