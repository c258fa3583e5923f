/* Keeps the number of sampled allocations per second at a target rate. Only the sampling interval changes, so that no sample is discarded
 * after its cost was paid. The right interval is the bytes allocated per second, as the samples estimate them, divided by the rate. It
 * reacts at once to a program that begins to allocate much faster, and within seconds to one that slows down.
 *
 *   alloc_pace_begin -> [ alloc_pace_next ]*
 *
 * The functions are plain arithmetic. All times are ns of the same clock, which may be any clock. */
#ifndef CANDOR_AGENT_COLLECT_ALLOC_ALLOC_PACE_H
#define CANDOR_AGENT_COLLECT_ALLOC_ALLOC_PACE_H

#include <stdint.h>

enum { ALLOC_PACE_INTERVAL_MIN = 64 << 10 };

struct alloc_pace {
    uint64_t rate;                                    /* samples per second */
    uint64_t interval;                                /* bytes; the interval that is set in the JVM */
    uint64_t looked_ns, looked_bytes, looked_samples; /* the time and the totals at the last estimate */
    double bytes_per_second;                          /* below 0: there is no estimate yet */
};

void alloc_pace_begin(struct alloc_pace *p, uint64_t rate, uint64_t interval, uint64_t now_ns);
/* Returns the interval that is wanted now, and stores it in p->interval. bytes and samples are totals since the beginning: the estimated
 * bytes, and the samples drawn. Both must be as of now: samples that are counted later than they came look like a burst. */
uint64_t alloc_pace_next(struct alloc_pace *p, uint64_t now_ns, uint64_t bytes, uint64_t samples);

/* Returns how many samples may be taken from now on, if `left` of them were left `elapsed_ns` ago. This bound only matters if the interval
 * cannot hold the rate. It lets through a burst of two seconds' worth of samples and a thousand more, and then ten times the rate. */
int64_t alloc_pace_tokens(uint64_t rate, int64_t left, uint64_t elapsed_ns);

#endif
