/* Reads the JVM's own counters of garbage collections: how many there were, and how much of the heap is used after a collection. The JVM
 * updates them as a collection ends; all but the first are its performance counters (counters.h). Reading them takes a few loads.
 *
 *   layout_fill counters_find -> collections_fill -> [ the rest ]*
 *
 * collections_begun and collections_heap_used may be called on any thread, the others only on the agent's thread. */
#ifndef CANDOR_AGENT_HOTSPOT_COLLECTIONS_H
#define CANDOR_AGENT_HOTSPOT_COLLECTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Prepares the counters, after VMInit. libjvm: a dlopen handle. */
void collections_fill(void *libjvm);

/* Whether this JVM collects concurrently with the program. Such a collection does not examine objects that are allocated while it runs. */
bool collections_are_concurrent(void);
/* Returns how many collections have begun; 0 = this JVM does not report it. */
uint32_t collections_begun(void);
/* Returns the bytes used at the end of the last collection, by old and young objects; 0 = this JVM does not report it. */
uint64_t collections_heap_used(void);
/* Counts the collections that also examined old objects. Returns false if this JVM does not report it. */
bool collections_of_old(uint64_t *count);

#endif
