/* The JVM's own counters of garbage collections: how many, and how much of the heap is used after one. The JVM updates them as
 * a collection ends; all but the first are its performance counters (counters.h). Reading them is a few loads.
 *
 *   layout_fill counters_find -> collections_fill -> [ the rest ]*
 *
 * collections_begun and collections_heap_used may be called on any thread, the others on the agent's. */
#ifndef CANDOR_AGENT_HOTSPOT_COLLECTIONS_H
#define CANDOR_AGENT_HOTSPOT_COLLECTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* libjvm: a dlopen handle. After VMInit. */
void collections_fill(void *libjvm);

/* Whether it collects concurrently with the program: objects allocated during a collection are not examined by it. */
bool collections_are_concurrent(void);
/* How many have begun; 0 = this JVM does not report it. */
uint32_t collections_begun(void);
/* Bytes used at the end of the last one, old objects and young; 0 = this JVM does not report it. */
uint64_t collections_heap_used(void);
/* How many also examined old objects; false: this JVM does not report it. */
bool collections_of_old(uint64_t *count);

#endif
