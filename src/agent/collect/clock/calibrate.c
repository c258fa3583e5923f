#include "agent/collect/clock/calibrate.h"

#include "agent/hot/signal/handler.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 7, ROUNDS_MAX = 55, ROUND_NS = 600000, INTERVAL_NS = 100000, WORK_STEPS = 1 << 12 };

static struct {
    struct sampled_thread *slot; /* NULL: no calibration is in progress */
    int signal, rounds;
    double costs[ROUNDS_MAX];
} calibration;

/* The CPU time of a piece of work, and the number of expiries per piece. */
struct pace {
    double unit_ns, expiries;
};

static uint64_t own_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct pace work(const struct sampled_thread *t)
{
    uint64_t begin = own_cpu(), before = counter_get(&t->counts.expiries), units = 0, now;
    do {
        for (volatile int i = 0; i < WORK_STEPS; i++)
            ;
        units++;
        now = own_cpu();
    } while (now - begin < ROUND_NS);
    return (struct pace){(double)(now - begin) / (double)units, (double)(counter_get(&t->counts.expiries) - before) / (double)units};
}

/* Returns a slot for the agent's thread: the last one, which the registry never gives to a thread. */
static struct sampled_thread *own_slot(struct candor_pool *pool)
{
    struct sampled_thread *t = &sampled_threads[THREADS_MAX - 1];
    memset(t, 0, sizeof *t);
    t->index = THREADS_MAX - 1;
    t->tid = (int)syscall(SYS_gettid);
    t->handler.random = own_cpu() | 1;
    t->clock.own_pace_ns = INTERVAL_NS;
    candor_queue_init(&t->queue, pool);
    return t;
}

/* Measures without the clock and immediately afterwards with it. A program that shares the core, and takes up to half of its speed, then
 * affects both measurements in the same way. */
static double measure_once(struct sampled_thread *t)
{
    struct pace without = work(t), with = {0};
    atomic_fetch_add(&t->generation, 1);
    if (clock_arm_exactly(t) >= 0) {
        clock_want_kernel_stacks(t);
        with = work(t);
    }
    clock_disarm(t);
    atomic_fetch_add(&t->generation, 1);
    while (candor_queue_read(&t->queue, NULL, 0))
        ;
    return with.expiries > 0 ? (with.unit_ns - without.unit_ns) / with.expiries : 0;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median_cost(void)
{
    double sorted[ROUNDS_MAX];
    memcpy(sorted, calibration.costs, sizeof sorted);
    qsort(sorted, (size_t)calibration.rounds, sizeof *sorted, compare);
    return sorted[calibration.rounds / 2];
}

static double in_handler(const struct sampled_thread *t)
{
    uint64_t expiries = counter_get(&t->counts.expiries);
    return expiries ? (double)counter_get(&t->counts.handler_ns) / (double)expiries : 0;
}

void calibrate_begin(const struct clock *clock, struct candor_pool *pool)
{
    calibration.slot = clock_is_perf(clock) ? own_slot(pool) : NULL;
    calibration.signal = clock->signal;
    calibration.rounds = 0;
}

static double round_cost(struct sampled_thread *t)
{
    sigset_t ours, old;
    sigemptyset(&ours);
    sigaddset(&ours, calibration.signal);
    atomic_store(&thread_slot_of_tid[t->tid], t->index + 1);
    pthread_sigmask(SIG_UNBLOCK, &ours, &old);
    double cost = measure_once(t);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    atomic_store(&thread_slot_of_tid[t->tid], 0);
    return cost;
}

bool calibrate_round(uint64_t *cost_ns)
{
    struct sampled_thread *t = calibration.slot;
    bool is_enough = calibration.rounds >= ROUNDS && *cost_ns;
    int signal;
    if (!t || is_enough || calibration.rounds == ROUNDS_MAX || turn_has_faulted() || clock_taker(&signal))
        return false;
    calibration.costs[calibration.rounds++] = round_cost(t);
    double cost = median_cost() - in_handler(t);
    *cost_ns = cost > 0 ? (uint64_t)cost : 0;
    return true;
}

void calibrate_end(void)
{
    if (calibration.slot)
        candor_queue_deinit(&calibration.slot->queue);
    calibration.slot = NULL;
}
