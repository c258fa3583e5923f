/* The collector's entry points: to sampling.h, which drains the threads' queues, interns stacks, writes events and balances the
 * books once a second, or, for the event safepoint, to safepoint.h. All of it runs on the agent's only thread, the only one
 * that allocates. */
#ifndef CANDOR_AGENT_COLLECT_COLLECT_H
#define CANDOR_AGENT_COLLECT_COLLECT_H

#include "agent/collect/session/session.h"
#include "agent/hot/thread/turn.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

bool collect_running(void);
/* The events that the running recording samples. */
unsigned collect_events(void);
/* Starts a recording: memory, file, clock, threads, in this order; undoes all of it on an error. late: the agent came after the
 * JVM's start. bind_threads is called when threads are armed, to identify the Java threads. */
int collect_start(const struct collect_options *options, bool late, void (*bind_threads)(void), struct error *e);
/* To be called again after collect_patience_ns at the latest, while running. False when the recording's duration is over. */
bool collect_tick(void);
uint64_t collect_patience_ns(void);
/* Brings the file up to date; copies its content to the file with this path, unless the path is empty. passed: its open
 * descriptor, or -1. paths_ns: the allowed stopped time for finding the holders of live objects; 0 = not requested. */
int collect_dump(const char *file, int passed, uint64_t paths_ns, uint64_t *bytes, struct error *e);
/* How much longer than usual the end of the running recording, or a copy that is being made, may take: walks of the heap for paths, which
 * may be broken off as late as that again. Any thread. */
uint64_t collect_walks_ns(void);
/* Ends the recording and gives everything back. The error, if any, is that of writing it. */
int collect_stop(uint64_t *bytes, uint64_t *samples, struct error *e);
/* The agent's own thread has left a turn in the middle of any of these. Ends the sampling; the recording stays as it was at its
 * last flush, and gives the reason. Takes further turns. */
void collect_abandon(struct turn *turn);
void collect_status(struct collect_status *out);

#endif
