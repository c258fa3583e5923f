/*
 * The race: in one process, each contender in turn, in rounds; one producer and one consumer, each on a processor of its own.
 *
 * The consumer divides its time into windows of a millisecond, and notes for each how many elements came and how much CPU time both
 * threads had. A window counts if both ran all the time (97 to 103 % of it). A machine that others use, too, takes threads off their
 * processors, and such windows say nothing about queues. Results are medians of the counted windows, and can be compared within one run
 * only.
 *
 * usage: race ROUNDS MILLISECONDS     one line of CSV per window: round,group,contender,base,elements_per_us,clean
 */
#include "base/time_units.h"
#include "contender.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WINDOW_NS   NS_PER_MS
#define MAX_WINDOWS 100000

struct window {
    double per_us;
    bool clean;
};

struct instant {
    uint64_t wall, own, other, consumed;
};

static struct race race;
static struct window windows[MAX_WINDOWS];
static unsigned window_count, turns;
static struct instant last;
static uint64_t end_ns;
static clockid_t producer_clock;
static const struct contender *running;

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static struct instant now(uint64_t consumed)
{
    return (struct instant){clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_THREAD_CPUTIME_ID), clock_ns(producer_clock), consumed};
}

static bool ran_all(uint64_t cpu, uint64_t wall)
{
    return cpu * 100 >= wall * 97 && cpu * 100 <= wall * 103;
}

static void close_window(uint64_t consumed)
{
    struct instant at = now(consumed);
    uint64_t wall = at.wall - last.wall;

    if (window_count < MAX_WINDOWS)
        windows[window_count++] = (struct window){(double)(consumed - last.consumed) * 1000 / (double)wall,
                                                  ran_all(at.own - last.own, wall) && ran_all(at.other - last.other, wall)};
    last = at;
}

bool race_goes_on(struct race *r, uint64_t consumed)
{
    uint64_t wall;

    __atomic_store_n(&r->consumed, consumed, __ATOMIC_RELEASE); /* pairs with the acquire of producers whose nodes go round */
    if (++turns % 32 != 0)                                      /* the clock costs as much as a batch */
        return true;
    wall = clock_ns(CLOCK_MONOTONIC);
    if (wall - last.wall >= WINDOW_NS)
        close_window(consumed);
    if (wall < end_ns)
        return true;
    __atomic_store_n(&r->stop, 1, __ATOMIC_RELAXED);
    return false;
}

void race_disorder(const char *name)
{
    fprintf(stderr, "race: %s: an element is out of order\n", name);
    abort();
}

/* The n-th processor that we may use. */
static int processor(int wanted)
{
    cpu_set_t set;

    sched_getaffinity(0, sizeof set, &set);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &set) && wanted-- == 0)
            return i;
    }
    fprintf(stderr, "race: wants two processors\n");
    exit(1);
}

static void start(pthread_t *thread, int cpu, void *(*run)(void *))
{
    pthread_attr_t attributes;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
    if (pthread_create(thread, &attributes, run, NULL) != 0)
        abort();
    pthread_attr_destroy(&attributes);
}

static void *produce(void *argument)
{
    running->produce(&race);
    return argument;
}

static uint64_t run_ns;

static void *consume(void *argument)
{
    last = now(0);
    end_ns = last.wall + run_ns;
    running->consume(&race);
    return argument;
}

static void run(const struct contender *c, int round, int first, int second)
{
    pthread_t producer, consumer;

    running = c;
    race = (struct race){0};
    window_count = turns = 0;
    c->init();
    start(&producer, second, produce);
    pthread_getcpuclockid(producer, &producer_clock);
    start(&consumer, first, consume);
    pthread_join(consumer, NULL);
    pthread_join(producer, NULL);
    if (c->deinit)
        c->deinit();
    for (unsigned i = 1; i < window_count; i++) /* the first window contains the start of the threads */
        printf("%d,%s,%s,%d,%.2f,%d\n", round, c->group, c->name, c->is_base, windows[i].per_us, windows[i].clean);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const struct contender *const tables[] = {ours, unpadded, ck, boost_contenders, urcu};
    const size_t counts[] = {ours_count, unpadded_count, ck_count, boost_count, urcu_count};
    int rounds = argc == 3 ? atoi(argv[1]) : 0, first = processor(0), second = processor(1);

    if (rounds < 1 || atoi(argv[2]) < 10) {
        fprintf(stderr, "usage: race ROUNDS MILLISECONDS (at least 10)\n");
        return 2;
    }
    run_ns = (uint64_t)atoi(argv[2]) * NS_PER_MS;
    puts("round,group,contender,base,elements_per_us,clean");
    for (int round = 0; round < rounds; round++) {
        for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
            for (size_t i = 0; i < counts[t]; i++)
                run(&tables[t][i], round, first, second);
        }
    }
    return 0;
}
