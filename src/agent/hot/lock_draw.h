/* Which of a thread's waits are recorded, and what each then weighs, so that the weights add up to the time it waited.
 *
 * A wait as long as the threshold, or longer, is recorded for sure, and weighs what it took. Those that are shorter are laid end to end
 * and cut into strata as long as the threshold, each with a point that is anywhere in it with the same chance:
 *
 *     waits   |--a--|-b-|-----c-----|d|---e---|
 *     strata  |         .         |            .         |       points: . , one per stratum
 *
 * A wait is recorded when a point lies in it, and weighs a stratum for each. The chance is its length over the stratum's, so nothing is
 * biased, whatever the order of the waits; and of a thread's short waits together the weights are never off by more than one
 * threshold. Why, and what that means for a report: docs/internals/sampling-math.md.
 *
 * One owner, no locking; callable anywhere. */
#ifndef CANDOR_AGENT_HOT_LOCK_DRAW_H
#define CANDOR_AGENT_HOT_LOCK_DRAW_H

#include <stdint.h>

struct lock_draw {
    uint64_t stratum;     /* its length, ns: the threshold when it began; 0 = none has */
    uint64_t used, point; /* ns from where it began */
    uint64_t random;      /* not 0 */
};

/* What a wait of so many ns weighs, in ns; 0: it is not to be recorded. threshold: now, ns; 0 records all. */
uint64_t lock_draw(struct lock_draw *d, uint64_t wait, uint64_t threshold);

#endif
