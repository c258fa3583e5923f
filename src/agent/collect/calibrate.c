#include "agent/collect/calibrate.h"

#include "agent/hot/thread.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, ROUND_NS = 3000000, INTERVAL_NS = 150000, WORK_STEPS = 1 << 12 };

struct tally {
    uint64_t cpu, units;
};

static uint64_t own_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void work(struct tally *tally)
{
    uint64_t begin = own_cpu(), now;
    do {
        for (volatile int i = 0; i < WORK_STEPS; i++)
            ;
        tally->units++;
        now = own_cpu();
    } while (now - begin < ROUND_NS);
    tally->cpu += now - begin;
}

/* The last slot is never given to a thread of the registry. */
static struct sampled_thread *own_slot(struct candor_pool *pool)
{
    struct sampled_thread *t = &sampled_threads[THREADS_MAX - 1];
    memset(t, 0, sizeof *t);
    t->index = THREADS_MAX - 1;
    t->tid = (int)syscall(SYS_gettid);
    t->random = own_cpu() | 1;
    candor_queue_init(&t->queue, pool);
    return t;
}

static void measure(struct sampled_thread *t, struct tally *without, struct tally *with)
{
    for (int i = 0; i < ROUNDS; i++) {
        work(without);
        atomic_fetch_add(&t->generation, 1);
        if (clock_arm(t) >= 0)
            work(with);
        clock_disarm(t);
        atomic_fetch_add(&t->generation, 1);
        while (candor_queue_read(&t->queue, NULL, 0))
            ;
    }
}

uint64_t calibrate_sample_cost(const struct clock *clock, struct candor_pool *pool)
{
    struct tally without = {0}, with = {0};
    struct clock fast = *clock;
    sigset_t ours, old;
    if (clock->kind == CLOCK_ITIMER)
        return 0;
    fast.interval_ns = INTERVAL_NS;
    sigemptyset(&ours);
    sigaddset(&ours, clock->signal);
    if (clock_start(&fast, NULL))
        return 0;
    struct sampled_thread *t = own_slot(pool);
    pthread_sigmask(SIG_UNBLOCK, &ours, &old);
    measure(t, &without, &with);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    clock_stop();
    uint64_t expiries = counter_get(&t->expiries);
    candor_queue_deinit(&t->queue);
    if (!expiries || !without.units)
        return 0;
    double expected = (double)without.cpu / (double)without.units * (double)with.units;
    double extra = (double)with.cpu - expected;
    return extra > 0 ? (uint64_t)(extra / (double)expiries) : 0;
}
