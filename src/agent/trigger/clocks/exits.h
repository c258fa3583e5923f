/* The CPU time of threads between the end of their clock and their death. A Java thread announces its end while it still has
 * JVM and kernel code to run. Its perf event, which no longer fires, counts that time, and can be read when the thread is gone.
 * Without such an event the thread's own clock is read, as long as the thread exists. At most EXITS_MAX threads are kept, each
 * with at most one descriptor, and no more than an eighth of the process's limit of descriptors; the oldest is dropped first.
 *
 * All calls come under the lock of threads.c. */
#ifndef CANDOR_AGENT_TRIGGER_CLOCKS_EXITS_H
#define CANDOR_AGENT_TRIGGER_CLOCKS_EXITS_H

#include "base/time_units.h"

#include <stdbool.h>
#include <stdint.h>

enum { EXITS_MAX = 512, EXITS_CPU_MAX_NS = NS_PER_MS };

/* The clock of this thread ended when its CPU clock stood at cpu_ns and its perf event at count_ns. Takes fd, the event; -1:
 * there is none. */
void exits_add(int tid, uint64_t cpu_ns, int fd, uint64_t count_ns);
/* Whether the thread is about to die. One that uses EXITS_CPU_MAX_NS more has only left Java, and lives on. */
bool exits_expects(int tid);
/* Call it when the thread with this id gets a new clock, because it did not exit. The CPU time in between then does not count as lost
 * at an exit. */
void exits_cancel(int tid);
/* Closes the events of threads that are gone. */
void exits_reap(void);
/* Closes all. */
void exits_close(void);
/* CPU time since exits_reset, in ns. */
uint64_t exits_cpu(void);
void exits_reset(void);

#endif
