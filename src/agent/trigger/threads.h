/* The registry of profiled threads: finds every thread of the process, gives each a slot (hot/thread/thread.h) and a clock.
 * Java threads announce themselves from their own context; all others are found by scanning /proc/self/task.
 *
 * All functions may be called from any ordinary thread (one lock inside); none from a signal handler. */
#ifndef CANDOR_AGENT_TRIGGER_THREADS_H
#define CANDOR_AGENT_TRIGGER_THREADS_H

#include "agent/hot/thread/thread.h"
#include "agent/trigger/clocks/clock.h"
#include "candor/queue/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Between start and stop threads are armed. Queues take their chunks from pool. clock_start has been called. Returns how
 * many threads were armed, or a negative errno. exempt_tid: the collector, which is not sampled. */
int threads_start(struct candor_pool *pool, int exempt_tid);
/* After a stop and a drain that has released all slots: goes on, with another clock, in the same recording. */
int threads_resume(void);
/* Starts this clock (clock_start) for threads that have had none. On an error it starts the one before again, which the threads do not
 * need. 0 or a code of clock_start. */
int threads_add_clock(const struct clock *clock, const struct clock *before, struct error *e);
/* Opens lanes (hot/calls/lanes.h) that there have not been before, for the threads that are armed. */
void threads_open_lanes(void);
/* Disarms all threads; their slots stay for a last drain. */
void threads_stop(void);
/* The same for a caller that may have been interrupted in any function of this file; its lock is freed, the contents of the
 * registry are not. */
void threads_abandon(void);
/* Call it on a thread that a fault made leave a function of this file in the middle, and that goes on: frees the lock if the thread
 * holds it. */
void threads_let_go(void);

/* The calling thread is a Java thread from now on, or no longer. No effect between stop and start. */
void threads_java_begin(uintptr_t java_thread, int64_t java_id, const char *name);
void threads_java_end(void);
/* Finds the kernel's id of a Java thread. False if the thread is gone. False also between stop and start, because then no fault
 * handler protects the loads that this needs. */
bool threads_find_java(uintptr_t java_thread, int *tid);
/* Another thread, which existed when the recording began, is a Java thread; or has this name now. */
void threads_bind_java(int tid, uintptr_t java_thread, int64_t java_id, const char *name);

/* Between start and stop. */
bool threads_running(void);

/* Finds new threads and those that are gone. */
void threads_scan(void);

/* Calls fn under the lock, so that no thread comes or goes meanwhile, or has its clock changed. Not between stop and start. */
void threads_with_all(void (*fn)(void *context), void *context);
/* From such a function: a thread's clock is set again. */
void threads_set_clock(struct sampled_thread *t);

/* For the collector, before it names a thread: reads the name again if the thread is not a Java thread, because such a thread sets
 * its name after it has begun to run. */
void threads_settle_name(struct sampled_thread *t);
/* For the collector: slots in use lie below this index. */
uint32_t threads_limit(void);
/* Frees an ended slot whose queue has been drained. */
void threads_release(struct sampled_thread *t);
/* CPU time since arming; exact for ended threads and perf clocks. */
uint64_t threads_cpu(const struct sampled_thread *t);
/* The count of its clock since arming, if it does not count CPU time. */
struct event_reading threads_events(const struct sampled_thread *t);
/* What threads have used between the end of their clock and their death (perf clocks). */
uint64_t threads_exit_cpu(void);
/* Threads that could not be given a clock so far, and why the last one could not (negative errno). */
uint32_t threads_without_clock(int *error);
/* Threads that got a timer so far because the kernel, or our own restraint, refused them a perf event, and why (the same). */
uint32_t threads_with_timer(int *error);
/* Threads whose stacks lack the kernel's part, which the clock could give, and why (the same). */
uint32_t threads_without_kernel_stacks(int *error);
/* Threads that have blocked their clock's signal so far while they used CPU time; who they are (blocked.h). */
uint32_t threads_blocking(char *text, size_t size);
uint32_t threads_armed(void);

#endif
