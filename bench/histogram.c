/*
 * What one record in a histogram costs: plain, atomic and through the interval recorder, compared with an array of counters.
 *
 * The four are interleaved in rounds of one thread, over the same values. Printed is the median round in ns per record, and the ratio to
 * the bare array, which is indexed by the value itself: the lowest possible cost of counting.
 */
#include "candor/histogram.h"

#include "base/time_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { VALUES = 4096, ROUNDS = 2001, WAYS = 4, HIGHEST = 1000000 };

static int64_t values[VALUES];
static int64_t *counters;
static struct candor_histogram plain, atomic;
static struct candor_recorder recorder;

static void count_bare(void)
{
    for (int i = 0; i < VALUES; i++)
        counters[values[i] >> 5]++; /* 32 us wide, about as many counters as the histogram has */
}

static void record_plain(void)
{
    for (int i = 0; i < VALUES; i++)
        candor_histogram_record(&plain, values[i]);
}

static void record_atomic(void)
{
    for (int i = 0; i < VALUES; i++)
        candor_histogram_record_atomic(&atomic, values[i]);
}

static void record_recorder(void)
{
    for (int i = 0; i < VALUES; i++)
        candor_recorder_record(&recorder, values[i]);
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[WAYS] = {{"bare array", count_bare}, {"record", record_plain}, {"record_atomic", record_atomic}, {"recorder", record_recorder}};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * NS_PER_S + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static double times[WAYS][ROUNDS];
    uint64_t state = 1;
    counters = calloc((HIGHEST >> 5) + 1, sizeof *counters);
    if (!counters || candor_histogram_init(&plain, 1, 3600 * NS_PER_S, 3) || candor_histogram_init(&atomic, 1, 3600 * NS_PER_S, 3) ||
        candor_recorder_init(&recorder, 1, 3600 * NS_PER_S, 3))
        return 1;
    for (int i = 0; i < VALUES; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        values[i] = (int64_t)(state >> 33) % HIGHEST;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < WAYS; way++) {
            double start = now_ns();
            ways[way].run();
            times[way][round] = (now_ns() - start) / VALUES;
        }
    for (int way = 0; way < WAYS; way++)
        qsort(times[way], ROUNDS, sizeof(double), compare);
    for (int way = 0; way < WAYS; way++)
        printf("%-14s %6.2f ns  x %.2f\n", ways[way].name, times[way][ROUNDS / 2], times[way][ROUNDS / 2] / times[0][ROUNDS / 2]);
    return 0;
}
