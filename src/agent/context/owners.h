/* Maps virtual threads to their records. The carrier looks a record up at each mount. Meanwhile the virtual thread neither ends nor is
 * mounted elsewhere, so at most one thread at a time uses the entry of an id. Any number of threads may use entries of different ids. The
 * table is lock-free, and no function waits. Ids are those of java.lang.Thread, which are above 0 and never reused. */
#ifndef CANDOR_AGENT_CONTEXT_OWNERS_H
#define CANDOR_AGENT_CONTEXT_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

/* Gives the virtual thread this record. Returns false if the thread already has one, from another copy of java/context, or if the table has
 * no place for it. The table has twice as many places as there are records. */
bool owners_add(uint64_t id, int record);
void owners_remove(uint64_t id);
/* Returns the number of the virtual thread's record, or -1 if it has none. */
int owners_find(uint64_t id);

#endif
