/* What threads do that have a lock for which others wait. A round, about 20 times a second, looks for threads that wait (hot/lock.h), reads
 * who has what they wait for, and takes the stack of that one, as the event wall does: of one that sleeps it is read where it lies, without
 * waking it; one that runs is said to, and its stack is the event cpu's to show. At most LOCK_HOLDERS_MOST of them are looked at in a
 * round, drawn at random. A sample stands for the time since the round before, times threads that wait, times holders per holder drawn:
 * as much as others have waited meanwhile. Of the collector, while the recording runs. */
#ifndef CANDOR_AGENT_COLLECT_LOCK_HOLDERS_H
#define CANDOR_AGENT_COLLECT_LOCK_HOLDERS_H

#include "agent/collect/books.h"

#include <stdint.h>

enum { LOCK_HOLDERS_MOST = 16 };

void lock_holders_begin(uint64_t now_ns);
void lock_holders_tick(uint64_t now_ns);
uint64_t lock_holders_due_ns(void);
/* The weights of what is recorded, and of what is not, for holders that could not be looked at. */
struct account lock_holders_taken(void);
struct account lock_holders_missed(void);

#endif
