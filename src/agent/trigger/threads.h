/* The registry of profiled threads: finds every thread of the process, gives each a slot (hot/thread/thread.h) and a clock. Java threads
 * register themselves. All others are found by scanning /proc/self/task.
 *
 * Any ordinary thread may call these functions, which use one lock. Signal handlers must not call them. */
#ifndef CANDOR_AGENT_TRIGGER_THREADS_H
#define CANDOR_AGENT_TRIGGER_THREADS_H

#include "agent/hot/thread/thread.h"
#include "agent/trigger/clocks/clock.h"
#include "candor/queue/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arms all threads until threads_stop. clock_start must have been called. Queues take their chunks from pool. exempt_tid: the collector,
 * which is not sampled. Returns how many threads were armed, or a negative errno. */
int threads_start(struct candor_pool *pool, int exempt_tid);
/* Arms the threads again with another clock, in the same recording. Call it after a stop and a drain that has released all slots. */
int threads_resume(void);
/* Starts this clock (clock_start) for threads that have had none. On an error it starts the one before again, which the threads do not
 * need. 0 or a code of clock_start. */
int threads_add_clock(const struct clock *clock, const struct clock *before, struct error *e);
/* Opens lanes (hot/calls/lanes.h) that there have not been before, for the threads that are armed. */
void threads_open_lanes(void);
/* Disarms all threads. Their slots stay for a last drain. */
void threads_stop(void);
/* Does the same for a caller that may have been interrupted in any function of this file. The lock is freed. The registry may be damaged,
 * and is not read. */
void threads_abandon(void);
/* Frees the lock if the calling thread holds it. Call it on a thread that a fault made leave a function of this file in the middle, and
 * that continues. */
void threads_let_go(void);

/* Note that the calling thread is a Java thread from now on, or no longer is. They have no effect between stop and start. */
void threads_java_begin(uintptr_t java_thread, int64_t java_id, const char *name);
void threads_java_end(void);
/* Finds the kernel's id of a Java thread. Returns false if the thread is gone. It also returns false between stop and start, because no
 * fault handler protects the loads then. */
bool threads_find_java(uintptr_t java_thread, int *tid);
/* Notes that another thread, which existed when the recording began, is a Java thread, or that its name has changed. */
void threads_bind_java(int tid, uintptr_t java_thread, int64_t java_id, const char *name);

/* Whether the registry is between start and stop. */
bool threads_running(void);

/* Finds new threads, and those that are gone. */
void threads_scan(void);

/* Calls fn under the lock, so that meanwhile no thread begins or ends in the registry, and no clock changes. It must not be called between
 * stop and start. */
void threads_with_all(void (*fn)(void *context), void *context);
/* Sets a thread's clock again. Only functions that threads_with_all has called may call it. */
void threads_set_clock(struct sampled_thread *t);

/* Reads a thread's name again before the collector uses it, unless the thread is a Java thread. Other threads set their names after they
 * have begun to run. */
void threads_settle_name(struct sampled_thread *t);
/* Returns an index above all slots in use. The collector calls it. */
uint32_t threads_limit(void);
/* Frees an ended slot whose queue has been drained. */
void threads_release(struct sampled_thread *t);
/* Returns the CPU time since arming. It is exact for ended threads and perf clocks. */
uint64_t threads_cpu(const struct sampled_thread *t);
/* Returns the count of the thread's clock since arming, if the clock does not count CPU time. */
struct event_reading threads_events(const struct sampled_thread *t);
/* Returns the CPU time that threads have used between the end of their clock and their exit (perf clocks). */
uint64_t threads_exit_cpu(void);
/* Returns how many threads could not be given a clock so far. *error: the reason for the last one (negative errno). */
uint32_t threads_without_clock(int *error);
/* Returns how many threads got a timer so far, because the kernel or the agent's own limit refused them a perf event. *error as above. */
uint32_t threads_with_timer(int *error);
/* Returns how many threads have stacks without the kernel's part, although the clock can provide it. *error as above. */
uint32_t threads_without_kernel_stacks(int *error);
/* Returns how many threads have blocked their clock's signal so far while they used CPU time. text: their names (blocked.h). */
uint32_t threads_blocking(char *text, size_t size);
uint32_t threads_armed(void);

#endif
