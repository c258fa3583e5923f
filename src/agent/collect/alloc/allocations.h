/* The collector's part of the event alloc: it turns records of sampled allocations into events with weights, adapts the sampling interval
 * to the requested rate, and keeps the books. It is independent of the clocks' part.
 *
 * Its books (docs/formats/recording.md) count bytes: the weight of the recorded samples, the weight of the lost ones, and a part of the
 * total as the JVM itself counted it, which shows whether this JVM samples correctly. All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_ALLOC_ALLOCATIONS_H
#define CANDOR_AGENT_COLLECT_ALLOC_ALLOCATIONS_H

#include "agent/collect/part.h"

#include <stdint.h>

enum { ALLOCATIONS_RATE_DEFAULT = 100 };

struct alloc_options {
    uint64_t rate;     /* samples per second; 0 = ALLOCATIONS_RATE_DEFAULT */
    uint64_t interval; /* bytes between two samples, constant, in place of the rate; 0 = the rate decides */
};

extern const struct part alloc_part;

#endif
