/* Keeps the number of recorded waits at or below a given rate, approximately. Waits shorter than a threshold are drawn at random
 * (hot/calls/lock_draw.h). This file raises the threshold, so that no wait is discarded after its cost was paid. It reacts at once when a
 * program begins to contend much more. When the program calms down, the threshold falls back within seconds.
 *
 *   lock_pace_begin -> [ lock_pace_next ]*
 *
 * The functions are plain arithmetic. All times are ns of the same clock, which may be any clock. */
#ifndef CANDOR_AGENT_COLLECT_LOCK_LOCK_PACE_H
#define CANDOR_AGENT_COLLECT_LOCK_LOCK_PACE_H

#include "base/time_units.h"

#include <stdint.h>

enum { LOCK_PACE_LEAST_NS = 100000 }; /* a threshold of 0 is raised to at least this */
#define LOCK_PACE_MOST_NS (60 * NS_PER_S)

struct lock_pace {
    uint64_t rate;      /* waits recorded per second */
    uint64_t floor;     /* the requested threshold in ns; the threshold is never lower */
    uint64_t threshold; /* now */
    uint64_t looked_ns, looked_samples;
};

void lock_pace_begin(struct lock_pace *p, uint64_t rate, uint64_t threshold, uint64_t now_ns);
/* Returns the threshold from now on, in ns, and stores it in p->threshold. samples: how many waits have passed the threshold since the
 * beginning, whether they were recorded or not. */
uint64_t lock_pace_next(struct lock_pace *p, uint64_t now_ns, uint64_t samples);

#endif
