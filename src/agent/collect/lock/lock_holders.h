/* What threads do while they hold a lock that others wait for. A round, about 20 times a second, looks for waiting threads
 * (hot/calls/lock.h), reads the owner of each lock, and takes the owner's stack, as the event wall does: a sleeping owner's stack is
 * read without waking it; a running owner is only recorded as running, because the event cpu shows its stack. A round looks at
 * no more than LOCK_HOLDERS_MOST of them, drawn at random. A sample stands for the time since the previous round, times the
 * waiting threads, times the holders per drawn holder: as much as others have waited meanwhile. Collector only, while the
 * recording runs. */
#ifndef CANDOR_AGENT_COLLECT_LOCK_LOCK_HOLDERS_H
#define CANDOR_AGENT_COLLECT_LOCK_LOCK_HOLDERS_H

#include "agent/collect/books/books.h"

#include <stdint.h>

enum { LOCK_HOLDERS_MOST = 16 };

void lock_holders_begin(uint64_t now_ns);
void lock_holders_tick(uint64_t now_ns);
uint64_t lock_holders_due_ns(void);
/* The weight of the samples that were recorded, and of those that were not because their holders could not be looked at. */
struct account lock_holders_taken(void);
struct account lock_holders_missed(void);

#endif
