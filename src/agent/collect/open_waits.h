/* The waits that go on when a recording ends: what a deadlock consists of, and what else nobody would see, since it has no end. Each is
 * recorded as one that took until now, and says so.
 *
 * They are looked for first, then all owners are read, then each is taken, in which none succeeds that has ended meanwhile. So the owners
 * were read while all of those that are taken went on: threads that wait for each other in a circle can neither have got
 * anything in that time nor given it away, and the circle is one. Of the collector, while the recording runs. */
#ifndef CANDOR_AGENT_COLLECT_OPEN_WAITS_H
#define CANDOR_AGENT_COLLECT_OPEN_WAITS_H

void open_waits_take(void);

#endif
