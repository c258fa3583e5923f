/* The collector's entry points. They call one of two collectors: safepoint.h for the event safepoint, sampling.h for all other
 * events. sampling.h drains the threads' queues, interns stacks, writes events and balances the books once a second. All of it runs
 * on the agent's only thread, which is also the only one that allocates. */
#ifndef CANDOR_AGENT_COLLECT_COLLECT_H
#define CANDOR_AGENT_COLLECT_COLLECT_H

#include "agent/collect/session/session.h"
#include "agent/hot/thread/turn.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Recordings have ids: from 1, never repeated. Up to COLLECT_AT_ONCE run at a time. In the functions below, id 0 is the one that has run
 * longest. */
bool collect_running(void);
uint32_t collect_ids(uint32_t ids[COLLECT_AT_ONCE]); /* of those that run, the oldest first; returns how many */
uint32_t collect_newest(void);                       /* of the one that was started last */
/* "1 (daemon) to /tmp/a.jfr; 2 to /tmp/b.jfr". Returns out. */
char *collect_describe_all(char *out, size_t size);
/* The events that the recording samples. */
unsigned collect_events(uint32_t id);
/* Starts a recording: memory, file, clock, threads, in this order; undoes all of it on an error. If others run, it shares what they sample.
 * late: the agent was loaded after the JVM's start. bind_threads is called when threads are armed, to identify the Java threads. */
int collect_start(const struct collect_options *options, bool late, void (*bind_threads)(void), struct error *e);
/* Call it again after collect_patience_ns at the latest while a recording runs; then end those that are over. */
void collect_tick(void);
uint64_t collect_patience_ns(void);
/* A recording whose duration is over; 0 = there is none. */
uint32_t collect_over(void);
/* Brings the recording's file up to date, and copies its content to the file with this path, unless the path is empty.
 * passed: its open descriptor, or -1. paths_ns: the allowed stopped time for finding the holders of live objects; 0 = not
 * requested. */
int collect_dump(uint32_t id, const char *file, int passed, uint64_t paths_ns, uint64_t *bytes, struct error *e);
/* How much longer than usual the end of the running recordings, or a copy that is being made, may take because it walks the
 * heap for paths. It includes the time until a walk that takes too long is aborted. Any thread. */
uint64_t collect_walks_ns(void);
/* Ends the recording, and the last one gives everything back. The error, if any, is that of writing it. */
int collect_stop(uint32_t id, uint64_t *bytes, uint64_t *samples, struct error *e);
/* Call it after a fault made the agent's own thread leave a turn (hot/thread/turn.h) in the middle of one of these
 * functions. It ends the sampling. The recordings stay as they were at their last flush, and get the reason added. Takes
 * further turns. */
void collect_abandon(struct turn *turn);
/* 0 or -ENOENT: then *out only has the agent's fault, if there was one. */
int collect_status(uint32_t id, struct collect_status *out);

#endif
