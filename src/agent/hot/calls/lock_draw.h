/* Decides which of a thread's waits are recorded, and with which weight. The weights add up to the time that the thread waited.
 *
 * A wait of at least the threshold is always recorded, and weighs its duration. Shorter waits are laid end to end and cut into strata as
 * long as the threshold, each with one point at a uniformly random place in it:
 *
 *     waits   |--a--|-b-|-----c-----|d|---e---|
 *     strata  |         .         |            .         |       points: . , one per stratum
 *
 * A wait is recorded if a point lies in it, and weighs one stratum for each point. The probability is its length over the stratum's, so
 * there is no bias, whatever the order of the waits; and the total weight of a thread's short waits is never off by more than one
 * threshold. For the reasons, and the meaning for a report, see docs/internals/sampling-math.md.
 *
 * A struct lock_draw has one owner and no lock. The function may be called anywhere. */
#ifndef CANDOR_AGENT_HOT_CALLS_LOCK_DRAW_H
#define CANDOR_AGENT_HOT_CALLS_LOCK_DRAW_H

#include <stdint.h>

struct lock_draw {
    uint64_t stratum;     /* the present stratum's length in ns, which is the threshold when it began; 0 = no stratum has begun */
    uint64_t used, point; /* in ns from the stratum's beginning */
    uint64_t random;      /* the state of the random numbers, never 0 */
};

/* Returns the weight in ns of a wait of this many ns; 0: it is not recorded. threshold: the present threshold in ns; 0 records all
 * waits. */
uint64_t lock_draw(struct lock_draw *d, uint64_t wait, uint64_t threshold);

#endif
