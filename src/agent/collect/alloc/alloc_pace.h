/* How many allocations are sampled: a target rate, held by the sampling interval alone, so that no sample is discarded after
 * its cost was paid. The right interval is the bytes allocated per second, as the samples estimate them, divided by the rate.
 * It reacts at once to a program that begins to allocate much faster, and within seconds to one that slows down.
 *
 *   alloc_pace_begin -> [ alloc_pace_next ]*
 *
 * Plain arithmetic; ns of any one clock. */
#ifndef CANDOR_AGENT_COLLECT_ALLOC_ALLOC_PACE_H
#define CANDOR_AGENT_COLLECT_ALLOC_ALLOC_PACE_H

#include <stdint.h>

enum { ALLOC_PACE_INTERVAL_MIN = 64 << 10 };

struct alloc_pace {
    uint64_t rate;                                    /* samples per second */
    uint64_t interval;                                /* bytes; what the JVM has been told */
    uint64_t looked_ns, looked_bytes, looked_samples; /* as of the last estimate */
    double bytes_per_second;                          /* below 0: none yet */
};

void alloc_pace_begin(struct alloc_pace *p, uint64_t rate, uint64_t interval, uint64_t now_ns);
/* bytes, samples: estimated and drawn since the beginning, as of now: samples that are counted later than they came look like a burst.
 * The interval that is wanted now; it is p->interval from here on. */
uint64_t alloc_pace_next(struct alloc_pace *p, uint64_t now_ns, uint64_t bytes, uint64_t samples);

/* The bucket of last resort: what may be taken from now on, when `left` is left after `elapsed_ns`. It bears a burst of two seconds'
 * worth and a thousand, and then ten times the rate. */
int64_t alloc_pace_tokens(uint64_t rate, int64_t left, uint64_t elapsed_ns);

#endif
