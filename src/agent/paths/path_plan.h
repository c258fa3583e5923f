/* How many walks of the heap fit into the stopped time that somebody allows: what the next one takes is reckoned from the one before, of
 * the first from the heap's size, and none begins that is reckoned to pass the budget. Times in nanoseconds; plain arithmetic.
 *
 *   path_plan_begin -> [ path_plan_heap -> path_plan_allows -> path_plan_limit -> walk -> path_plan_took ]*
 *
 * What a walk takes depends on references, and these are not known before it: a heap of small objects has one for each 16 bytes or so
 * (the one from each object to its class counts), of which each takes 120 to 150 ns. Arrays of numbers have few, and are overestimated:
 * the first walk is then refused where it would have fitted, which costs nothing but a larger budget.
 *
 * Up to JDK 17 a walk marks objects in their headers, and at its end, also when it was broken off, all threads stand until the JVM has been
 * through the whole heap to set them back, garbage included: 8 to 20 ns an object. */
#ifndef CANDOR_AGENT_PATHS_PATH_PLAN_H
#define CANDOR_AGENT_PATHS_PATH_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct path_plan {
    uint64_t budget, spent;
    uint64_t used;
    uint64_t next; /* what the next walk is reckoned to take, with the sweep of the heap as it was before the last one */
    uint64_t sweep, swept;
    uint64_t heap_mib, sweep_ns_a_mib;
    uint32_t walks;
};

/* used: bytes of the heap after a collection. */
void path_plan_begin(struct path_plan *p, uint64_t budget, uint64_t used, int java_version);
/* used: bytes of the heap, garbage included. Before each walk. */
void path_plan_heap(struct path_plan *p, uint64_t used);
/* What the next walk is reckoned to take, and by which size of the heap. */
uint64_t path_plan_need(const struct path_plan *p);
uint64_t path_plan_bytes(const struct path_plan *p);
bool path_plan_allows(const struct path_plan *p);
/* From its beginning, when a walk that takes longer than was reckoned is broken off: what follows takes time, too. */
uint64_t path_plan_limit(const struct path_plan *p);
void path_plan_took(struct path_plan *p, uint64_t time);

#endif
