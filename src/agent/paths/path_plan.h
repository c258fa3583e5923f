/* How many walks of the heap fit into the stopped time that somebody allows: what the next one takes is reckoned from the one before, of
 * the first from the heap's size, and none begins that is reckoned to pass the budget. Times in nanoseconds; plain arithmetic.
 *
 *   path_plan_begin -> [ path_plan_allows -> walk -> path_plan_took ]*
 *
 * What a walk takes depends on references, and these are not known before it: a heap of small objects has one for each 16 bytes or so
 * (the one from each object to its class counts), of which each takes 120 to 150 ns. Arrays of numbers have few, and are overestimated:
 * the first walk is then refused where it would have fitted, which costs nothing but a larger budget. */
#ifndef CANDOR_AGENT_PATHS_PATH_PLAN_H
#define CANDOR_AGENT_PATHS_PATH_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct path_plan {
    uint64_t budget, spent;
    uint64_t next; /* what the next walk is reckoned to take */
    uint32_t walks;
};

/* used: bytes of the heap. */
void path_plan_begin(struct path_plan *p, uint64_t budget, uint64_t used);
bool path_plan_allows(const struct path_plan *p);
/* From its beginning, when a walk that takes longer than was reckoned is broken off. What follows takes time, too: up to JDK 17 as
 * long again as the walk. */
uint64_t path_plan_limit(const struct path_plan *p, int java_version);
void path_plan_took(struct path_plan *p, uint64_t time);

#endif
