/* Measures the CPU time of threads between the end of their clock and their exit. A Java thread reports its end before it has run the last
 * JVM and kernel code. Its perf event, which no longer fires, counts that time, and can be read when the thread is gone. Without such an
 * event the thread's own clock is read, as long as the thread exists. At most EXITS_MAX threads are kept, each with at most one descriptor,
 * and no more than an eighth of the process's limit of descriptors; the oldest is dropped first.
 *
 * All calls are made under the lock of threads.c. */
#ifndef CANDOR_AGENT_TRIGGER_CLOCKS_EXITS_H
#define CANDOR_AGENT_TRIGGER_CLOCKS_EXITS_H

#include "base/time_units.h"

#include <stdbool.h>
#include <stdint.h>

enum { EXITS_MAX = 512, EXITS_CPU_MAX_NS = NS_PER_MS };

/* Adds a thread whose clock has ended, when its CPU clock was at cpu_ns and its perf event at count_ns. The function takes over fd, the
 * event's descriptor; -1: there is none. */
void exits_add(int tid, uint64_t cpu_ns, int fd, uint64_t count_ns);
/* Whether the thread is expected to exit. A thread that uses EXITS_CPU_MAX_NS more has only left Java, and continues. */
bool exits_expects(int tid);
/* Call it when the thread with this id gets a new clock, because it did not exit. The CPU time in between then does not count as lost
 * at an exit. */
void exits_cancel(int tid);
/* Closes the events of threads that are gone. */
void exits_reap(void);
/* Closes the events of all threads. */
void exits_close(void);
/* Returns the CPU time since exits_reset, in ns. */
uint64_t exits_cpu(void);
void exits_reset(void);

#endif
