/* The waits that still go on when a recording ends: the parts of a deadlock, and waits that would otherwise be invisible,
 * because they have no end. Each is recorded as a wait that took until now, and is marked as open.
 *
 * First they are found, then all owners are read, then each is taken; taking fails if the wait has ended meanwhile. So the
 * owners were read while all the taken waits went on: threads that wait for each other in a cycle can neither have acquired nor
 * released anything in that time, and the cycle is real. Collector only, while the recording runs. */
#ifndef CANDOR_AGENT_COLLECT_LOCK_OPEN_WAITS_H
#define CANDOR_AGENT_COLLECT_LOCK_OPEN_WAITS_H

void open_waits_take(void);

#endif
