/* The rings through which the kernel delivers its part of a thread's stacks (hot/kernel.h). A ring is two pages of locked
 * memory, so only threads that have been sampled get one, RINGS_MAX of them at most, in the order in which a scan finds them.
 *
 * All calls come under the lock of threads.c. */
#ifndef CANDOR_AGENT_TRIGGER_CLOCKS_RINGS_H
#define CANDOR_AGENT_TRIGGER_CLOCKS_RINGS_H

#include "agent/hot/thread/thread.h"

#include <stdint.h>

enum { RINGS_MAX = 1024 };

/* Gives t a ring, unless it has one, or was refused one. Its event was opened with a call chain. */
void rings_open(struct sampled_thread *t);
/* Closes t's ring. No handler of t may run. */
void rings_close(struct sampled_thread *t);
/* Threads that got none since rings_reset, and why the last one did not (negative errno). */
uint32_t rings_refused(int *error);
void rings_reset(void);

#endif
