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
uint32_t collect_ids(uint32_t ids[COLLECT_AT_ONCE]); /* lists the ids of the running recordings, the oldest first; returns their number */
uint32_t collect_newest(void);                       /* returns the id of the recording that was started last */
/* Writes for instance "1 (daemon) to /tmp/a.jfr; 2 to /tmp/b.jfr" into out. Returns out. */
char *collect_describe_all(char *out, size_t size);
/* Returns the events that the recording samples, as bits. */
unsigned collect_events(uint32_t id);
/* Starts a recording: gets memory, opens the file, sets the clock and arms the threads, in this order. An error undoes all of it. If other
 * recordings run, the new one shares their samples. late: the agent was loaded after the JVM's start. bind_threads is called when threads
 * are armed, to identify the Java threads. */
int collect_start(const struct collect_options *options, bool late, void (*bind_threads)(void), struct error *e);
/* Does the collector's regular work. While a recording runs, call it at least every collect_patience_ns, and then end the recordings that
 * are over. */
void collect_tick(void);
uint64_t collect_patience_ns(void);
/* Returns the id of a recording whose duration is over; 0 = there is none. */
uint32_t collect_over(void);
/* Brings the recording's file up to date, and copies its content to the file with this path, unless the path is empty. passed: the open
 * descriptor of that file, or -1. paths_ns: the allowed stopped time for finding the holders of live objects; 0 = not requested. */
int collect_dump(uint32_t id, const char *file, int passed, uint64_t paths_ns, uint64_t *bytes, struct error *e);
/* Returns how many ns longer than usual the end of the running recordings, or a copy in progress, may take because it walks the heap for
 * paths. The time until a walk that takes too long is aborted is included. May be called on any thread. */
uint64_t collect_walks_ns(void);
/* Ends the recording. The end of the last recording frees all resources. An error reports that the file could not be written. */
int collect_stop(uint32_t id, uint64_t *bytes, uint64_t *samples, struct error *e);
/* Cleans up after a fault made the agent's own thread leave a turn (hot/thread/turn.h) in the middle of one of these functions. It ends the
 * sampling. The recordings stay as they were at their last flush, and the reason is added to them. The function uses further turns. */
void collect_abandon(struct turn *turn);
/* Fills *out. Returns 0, or -ENOENT if there is no such recording: then *out only has the agent's fault, if there was one. */
int collect_status(uint32_t id, struct collect_status *out);

#endif
