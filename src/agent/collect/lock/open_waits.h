/* Records the waits that have not ended when a recording ends: the waits of a deadlock, and other waits that would be invisible because
 * they never end. Each is recorded as a wait until now, and is marked as open.
 *
 * The waits are found first, then all owners are read, and then each wait is taken. Taking fails if the wait has ended meanwhile. So the
 * owners were read while all the taken waits went on: threads that wait for each other in a cycle can neither have acquired nor released
 * anything in that time, and the cycle is real. Only the collector calls this, while the recording runs. */
#ifndef CANDOR_AGENT_COLLECT_LOCK_OPEN_WAITS_H
#define CANDOR_AGENT_COLLECT_LOCK_OPEN_WAITS_H

void open_waits_take(void);

#endif
