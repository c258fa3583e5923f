/* The collector's part of the event lock: it turns records of waits into events with weights, adapts the threshold to the rate,
 * and keeps the books. It is independent of the clocks' part.
 *
 * Its books (docs/formats/recording.md), in ns of waiting: the total of all waits, as each thread has added it up, against the
 * waits recorded for their length, the weights of the drawn ones, and the lost ones. The difference is the residual, which is
 * the error of the draw. All on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_LOCK_LOCKS_H
#define CANDOR_AGENT_COLLECT_LOCK_LOCKS_H

#include "agent/collect/part.h"
#include "base/time_units.h"

#include <stdbool.h>
#include <stdint.h>

enum { LOCKS_RATE_DEFAULT = 100, LOCKS_THRESHOLD_DEFAULT_NS = NS_PER_MS };

struct lock_options {
    bool has_threshold;    /* else the default, and a rate */
    uint64_t threshold_ns; /* waits as long as this are all recorded; 0 = all waits are */
    uint64_t rate;         /* waits of a group recorded per second at most, by a higher threshold; 0 = without a bound, or the default */
};

extern const struct part lock_part;

#endif
