/* A first period can be shorter than the time that an expiry takes. If it repeated, the processor would never reach the handler that
 * sets the second period. So the kernel stops an event at its first expiry, and the handler starts it again. In this test the thread
 * blocks the signal, which keeps the handler from running, as a slow machine would.
 * tier: default
 * timeout: 120
 *
 * When an event is stopped, its count is the sum of its periods and the kernel's delay; 20 ms are allowed for the delay, because a
 * hypervisor may share the processor. */
#include "../tap.h"
#include "session.h"

#include "agent/hot/fault/traps.h"
#include "agent/hot/signal/handler.h"
#include "agent/trigger/threads.h"
#include "profile/load/load_jfr.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MS = 1000000, LATE = 20 * MS };

static char file[64];
static enum clock_kind kind;
static struct clock chosen;
static uint64_t interval_ns;
static sigset_t expiry;

static struct sampled_thread *arm_own(void)
{
    threads_java_begin(0, 0, "own");
    return thread_of_caller();
}

static uint64_t count_after(const struct sampled_thread *t, uint64_t burnt)
{
    burn(burnt);
    return clock_count(t);
}

static uint64_t expiries(const struct sampled_thread *t)
{
    return counter_get(&t->counts.expiries);
}

static bool grows(const struct sampled_thread *t)
{
    uint64_t before = expiries(t);
    for (int i = 0; i < 100 && expiries(t) < before + 20; i++)
        burn(2 * interval_ns);
    return expiries(t) >= before + 20;
}

static void test_first(void)
{
    const struct sampled_thread *t = arm_own();
    uint64_t period = t->handler.period_ns, count = count_after(t, 3 * period + 2 * LATE);
    tap_ok(!expiries(t) && count >= period && count < period + LATE, "%s: the first period is %.3f ms, and the event stops at %.3f ms",
           clock_names[kind], (double)period / MS, (double)count / MS);
    pthread_sigmask(SIG_UNBLOCK, &expiry, NULL);
    tap_ok(grows(t), "%s: with the handler it continues", clock_names[kind]);
    threads_java_end();
}

static bool eat_expiry(void)
{
    const struct timespec at_once = {0};
    return sigtimedwait(&expiry, NULL, &at_once) > 0;
}

static void test_lost(void)
{
    const struct sampled_thread *t = arm_own();
    burn(t->handler.period_ns + LATE);
    tap_ok(eat_expiry(), "%s: the first expiry is taken away", clock_names[kind]);
    pthread_sigmask(SIG_UNBLOCK, &expiry, NULL);
    burn(20 * interval_ns);
    tap_ok(!expiries(t), "%s: no more come", clock_names[kind]);
    threads_scan();
    tap_ok(grows(t), "%s: until a scan finds that", clock_names[kind]);
    threads_java_end();
}

/* The program's own faults stop the clock and let it continue, also in the first period. */
static void test_held(void)
{
    struct traps_held held;
    const struct sampled_thread *t = arm_own();
    pthread_sigmask(SIG_UNBLOCK, &expiry, NULL);
    for (int i = 0; i < 3; i++) {
        traps_hold(&held, 0);
        traps_let_go(&held);
    }
    tap_ok(grows(t), "%s: held and let go in its first period, it continues", clock_names[kind]);
    threads_java_end();
}

static void *run(void *test)
{
    pthread_sigmask(SIG_BLOCK, &expiry, NULL);
    uint64_t before = own_cpu();
    (*(void (**)(void))test)();
    return (void *)(uintptr_t)(own_cpu() - before);
}

/* However the thread's expiries went, its weights add up to its CPU time. */
static void check_weights(uint64_t used)
{
    struct profile p;
    double weight = 0;
    profile_init(&p);
    bool good = !profile_load_jfr(&p, file, &session_error);
    for (uint32_t i = 0; good && i < p.sample_count; i++)
        if (!strcmp(profile_text(&p, p.threads[p.samples[i].thread].name), "own"))
            weight += (double)p.samples[i].weight;
    double bound = 2.5 * (double)interval_ns + 0.01 * (double)used;
    tap_ok(good && (!chosen.kernel || fabs(weight - (double)used) < bound), "%s: the weights are %.2f ms, used %.2f ms, bound %.2f ms",
           clock_names[kind], weight / MS, (double)used / MS, bound / MS);
    profile_deinit(&p);
}

static void test_in_thread(void (*test)(void))
{
    pthread_t thread;
    void *used = NULL;
    bool good = session_start(file, kind, interval_ns);
    pthread_create(&thread, NULL, run, &test);
    pthread_join(thread, &used);
    if (tap_ok(session_stop() && good, "%s: a recording", clock_names[kind]))
        check_weights((uintptr_t)used);
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-storm-%d.jfr", (int)getpid());
    interval_ns = MS;
    for (kind = CLOCK_SIGTRAP; kind <= CLOCK_SIGNAL; kind++) {
        if (clock_choose(&chosen, kind, interval_ns, &session_error) || clock_start(&chosen, &session_error)) {
            tap_skip("%s", session_error.text);
            continue;
        }
        clock_stop();
        if (!handler_config.stops_first) {
            tap_skip("%s: the kernel cannot stop it; Linux 6.1 can, where the kernel's time may be sampled", clock_names[kind]);
            continue;
        }
        sigemptyset(&expiry);
        sigaddset(&expiry, chosen.signal);
        test_in_thread(test_first);
        test_in_thread(test_lost);
        test_in_thread(test_held);
    }
    unlink(file);
    return tap_done();
}
