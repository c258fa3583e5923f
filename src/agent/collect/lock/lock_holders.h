/* Samples what threads do while they hold a lock for which other threads wait.
 *
 * About 20 times a second, a round looks for waiting threads (hot/calls/lock.h), reads the owner of each lock, and takes the owner's stack.
 * It does this like the event wall: the stack of a sleeping owner is read without waking it. A running owner is only recorded as running,
 * because the event cpu shows its stack. Both have their context (hot/context.h). A round looks at no more than
 * LOCK_HOLDERS_MOST owners, drawn at random. The weight of a sample is the time since the previous round, times the number of waiting
 * threads, times the holders per drawn holder. This equals the time that other threads have waited meanwhile. Only
 * the collector calls these functions, while the recording runs. */
#ifndef CANDOR_AGENT_COLLECT_LOCK_LOCK_HOLDERS_H
#define CANDOR_AGENT_COLLECT_LOCK_LOCK_HOLDERS_H

#include "agent/collect/books/books.h"

#include <stdint.h>

enum { LOCK_HOLDERS_MOST = 16 };

void lock_holders_begin(uint64_t now_ns);
void lock_holders_tick(uint64_t now_ns);
uint64_t lock_holders_due_ns(void);
/* Return the weight of the samples that were recorded, and of the samples that were not recorded because their holders could not be looked
 * at. */
struct account lock_holders_taken(void);
struct account lock_holders_missed(void);

#endif
