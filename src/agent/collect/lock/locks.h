/* The collector's part of the event lock: it turns records of waits into events with weights, adapts the threshold to the rate, and keeps
 * the books. It is independent of the clocks' part.
 *
 * Its books (docs/formats/recording.md) count ns of waiting. They compare the total of all waits, which each thread adds up, with the
 * lengths of long recorded waits, the weights of drawn waits, and the lost waits. The difference is the residual, which is the error of the
 * draw. All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_LOCK_LOCKS_H
#define CANDOR_AGENT_COLLECT_LOCK_LOCKS_H

#include "agent/collect/part.h"
#include "base/time_units.h"

#include <stdbool.h>
#include <stdint.h>

enum { LOCKS_RATE_DEFAULT = 100, LOCKS_THRESHOLD_DEFAULT_NS = NS_PER_MS };

struct lock_options {
    bool has_threshold;    /* if false, the default threshold and a rate apply */
    uint64_t threshold_ns; /* all waits of at least this length are recorded; 0 = all waits are recorded */
    uint64_t rate;         /* most waits of a group that are recorded per second, by a higher threshold; 0 = no bound, or the default */
};

extern const struct part lock_part;

#endif
