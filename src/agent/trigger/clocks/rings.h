/* The rings through which the kernel delivers its part of a thread's stacks (hot/kernel.h). A ring is two pages of locked memory, so only
 * threads that have been sampled get one, RINGS_MAX of them at most, in the order in which a scan finds them.
 *
 * All calls are made under the lock of threads.c. */
#ifndef CANDOR_AGENT_TRIGGER_CLOCKS_RINGS_H
#define CANDOR_AGENT_TRIGGER_CLOCKS_RINGS_H

#include "agent/hot/thread/thread.h"

#include <stdint.h>

enum { RINGS_MAX = 1024 };

/* Gives t a ring, unless it has one or was refused one. Its perf event must have been opened with a call chain. */
void rings_open(struct sampled_thread *t);
/* Closes t's ring. No handler of t may run. */
void rings_close(struct sampled_thread *t);
/* Returns how many threads got no ring since rings_reset, and sets *error to the reason for the last one (negative errno). */
uint32_t rings_refused(int *error);
void rings_reset(void);

#endif
