/* Decides how many walks of the heap fit into the allowed stopped time. The time of the next walk is estimated from the previous walk, and
 * the time of the first from the heap's size. No walk begins if its estimate exceeds the budget. Times are in nanoseconds. The functions
 * are plain arithmetic.
 *
 *   path_plan_begin -> [ path_plan_heap -> path_plan_allows -> path_plan_limit -> walk -> path_plan_took ]*
 *
 * The time of a walk depends on the number of references, which is unknown before it. A heap of small objects has a reference for each 16
 * bytes or so (including the reference from each object to its class), and each takes 120 to 150 ns. Arrays of numbers have few references,
 * and are overestimated: the first walk may then be refused although it would have fitted. A larger budget solves this.
 *
 * Up to JDK 17 a walk marks objects in their headers. At its end, even if it was aborted, all threads are stopped until the JVM has visited
 * the whole heap, garbage included, to reset the headers: 8 to 20 ns for each object. */
#ifndef CANDOR_AGENT_PATHS_PATH_PLAN_H
#define CANDOR_AGENT_PATHS_PATH_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct path_plan {
    uint64_t budget, spent;
    uint64_t used;
    uint64_t next; /* the estimate for the next walk, including the JVM's sweep of the heap, for the heap's size before the last walk */
    uint64_t sweep, swept;
    uint64_t heap_mib, sweep_ns_a_mib;
    uint32_t walks;
};

/* Begins a plan. used: bytes of the heap in use after a collection. */
void path_plan_begin(struct path_plan *p, uint64_t budget, uint64_t used, int java_version);
/* Notes the heap's size. Call it before each walk. used: bytes of the heap in use, garbage included. */
void path_plan_heap(struct path_plan *p, uint64_t used);
/* Return the estimated time of the next walk, and the size of the heap on which the estimate is based. */
uint64_t path_plan_need(const struct path_plan *p);
uint64_t path_plan_bytes(const struct path_plan *p);
bool path_plan_allows(const struct path_plan *p);
/* Returns the time after which the next walk is aborted if it takes longer than estimated. It is less than the time left, because the JVM's
 * work after the walk takes time, too. */
uint64_t path_plan_limit(const struct path_plan *p);
void path_plan_took(struct path_plan *p, uint64_t time);

#endif
