/* How many waits are recorded: at most about a given rate, held by raising the threshold below which they are drawn
 * (hot/calls/lock_draw.h), so that no wait is discarded after its cost was paid. It reacts at once to a program that begins to
 * contend much more; one that calms down gets its threshold back within seconds.
 *
 *   lock_pace_begin -> [ lock_pace_next ]*
 *
 * Plain arithmetic; ns of any one clock. */
#ifndef CANDOR_AGENT_COLLECT_LOCK_LOCK_PACE_H
#define CANDOR_AGENT_COLLECT_LOCK_LOCK_PACE_H

#include "base/time_units.h"

#include <stdint.h>

enum { LOCK_PACE_LEAST_NS = 100000 }; /* the lowest that a threshold of 0 is raised to */
#define LOCK_PACE_MOST_NS (60 * NS_PER_S)

struct lock_pace {
    uint64_t rate;      /* waits recorded per second */
    uint64_t floor;     /* the threshold that was asked for, ns; it is never lower */
    uint64_t threshold; /* now */
    uint64_t looked_ns, looked_samples;
};

void lock_pace_begin(struct lock_pace *p, uint64_t rate, uint64_t threshold, uint64_t now_ns);
/* samples: how many waits the threshold has let pass since the beginning, recorded or not. Returns the threshold from now on, which
 * is p->threshold. */
uint64_t lock_pace_next(struct lock_pace *p, uint64_t now_ns, uint64_t samples);

#endif
