#include "agent/collect/calibrate.h"

#include "agent/hot/handler.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 11, ATTEMPTS = 5, ROUND_NS = 600000, INTERVAL_NS = 100000, WORK_STEPS = 1 << 12 };

/* What a piece of work took, and how many expiries there were to each. */
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
    uint64_t begin = own_cpu(), before = counter_get(&t->expiries), units = 0, now;
    do {
        for (volatile int i = 0; i < WORK_STEPS; i++)
            ;
        units++;
        now = own_cpu();
    } while (now - begin < ROUND_NS);
    return (struct pace){(double)(now - begin) / (double)units, (double)(counter_get(&t->expiries) - before) / (double)units};
}

/* The last slot is never given to a thread of the registry. */
static struct sampled_thread *own_slot(struct candor_pool *pool)
{
    struct sampled_thread *t = &sampled_threads[THREADS_MAX - 1];
    memset(t, 0, sizeof *t);
    t->index = THREADS_MAX - 1;
    t->tid = (int)syscall(SYS_gettid);
    t->random = own_cpu() | 1;
    atomic_store(&thread_slot_of_tid[t->tid], t->index + 1);
    candor_queue_init(&t->queue, pool);
    return t;
}

/* Side by side, so that who shares a core, and takes up to half of its speed, does it in both. */
static double measure_once(struct sampled_thread *t)
{
    struct pace without = work(t), with = {0};
    atomic_fetch_add(&t->generation, 1);
    if (clock_arm(t) >= 0) {
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

static double median_cost(struct sampled_thread *t)
{
    double costs[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        costs[i] = measure_once(t);
    qsort(costs, ROUNDS, sizeof *costs, compare);
    return costs[ROUNDS / 2];
}

static double in_handler(const struct sampled_thread *t)
{
    uint64_t expiries = counter_get(&t->expiries);
    return expiries ? (double)counter_get(&t->handler_ns) / (double)expiries : 0;
}

uint64_t calibrate_signal_cost(const struct clock *clock, struct candor_pool *pool)
{
    double cost = 0;
    struct clock fast = *clock;
    sigset_t ours, old;
    if (clock->kind != CLOCK_SIGTRAP && clock->kind != CLOCK_SIGNAL)
        return 0;
    fast.interval_ns = INTERVAL_NS;
    fast.counter.name[0] = 0; /* what a sample costs does not depend on it, and CPU time is easy to use */
    sigemptyset(&ours);
    sigaddset(&ours, clock->signal);
    if (clock_start(&fast, NULL))
        return 0;
    struct sampled_thread *t = own_slot(pool);
    pthread_sigmask(SIG_UNBLOCK, &ours, &old);
    for (int i = 0; i < ATTEMPTS && cost < 1; i++)
        cost = median_cost(t) - in_handler(t);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    clock_stop();
    atomic_store(&thread_slot_of_tid[t->tid], 0);
    candor_queue_deinit(&t->queue);
    return cost > 0 ? (uint64_t)cost : 0;
}
