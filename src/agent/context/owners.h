/* Which record belongs to which virtual thread; the carrier asks at each mount. A thread does not end and is not mounted
 * elsewhere meanwhile, so one id has never more than one user at a time; different ids may have any number. Lock-free; no
 * function waits. Ids are those of java.lang.Thread, which are above 0 and never reused. */
#ifndef CANDOR_AGENT_CONTEXT_OWNERS_H
#define CANDOR_AGENT_CONTEXT_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

/* Gives the virtual thread this record. False: the thread already has one, from another copy of java/context; or the table has no
 * place for it. The table has twice as many places as there are records. */
bool owners_add(uint64_t id, int record);
void owners_remove(uint64_t id);
/* -1 = it has none. */
int owners_find(uint64_t id);

#endif
