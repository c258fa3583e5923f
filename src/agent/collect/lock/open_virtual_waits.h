/* Records waits of virtual threads that have not ended when a recording ends. Such a thread has no carrier, so nothing but its id and its
 * lock is known: the event has no stack, and no owner. There may be a million of these waits. All are counted, and at most
 * OPEN_VIRTUAL_WAITS_MOST of them are recorded, drawn at random; each of those stands for others, too.
 *
 * This is separate from open_waits.c, which reads the owners and stacks of threads that have a carrier, to find deadlocks. Only the
 * collector calls it, while the recording runs. */
#ifndef CANDOR_AGENT_COLLECT_LOCK_OPEN_VIRTUAL_WAITS_H
#define CANDOR_AGENT_COLLECT_LOCK_OPEN_VIRTUAL_WAITS_H

enum { OPEN_VIRTUAL_WAITS_MOST = 256 };

void open_virtual_waits_take(void);

#endif
