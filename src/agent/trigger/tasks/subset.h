/* Draws threads at random, for a round of the events safepoint, wall or lock that cannot look at all of them, and computes the weight of
 * each sample. */
#ifndef CANDOR_AGENT_TRIGGER_TASKS_SUBSET_H
#define CANDOR_AGENT_TRIGGER_TASKS_SUBSET_H

#include <stdint.h>

/* Draws `wanted` of the numbers below count without replacement, each with the same probability, or all of them if there are no more.
 * Returns how many were drawn. `out` has room for `wanted` numbers, and is in rising order. random: the state of handler_random. */
uint32_t subset_draw(uint64_t *random, uint32_t count, uint32_t wanted, uint32_t *out);

/* Returns the weight of the sample with this index, of `chosen` samples that are drawn from `count` threads after elapsed_ns: elapsed_ns x
 * count / chosen. The remainder goes in single ns to the first samples, so that all add up to elapsed_ns x count. */
uint64_t subset_weight(uint64_t elapsed_ns, uint32_t count, uint32_t chosen, uint32_t index);

#endif
