/* Turns (hot/thread/turn.h) for threads on which the JVM calls the agent, whether these threads are sampled or not: JVMTI's callbacks, and
 * the loading of the agent.
 *
 *   visit(work, argument)     work may be left where it faults, as a turn is
 *
 * Unlike a handler's turn it runs with the program's signal mask, and may take locks. If a fault leaves one taken, visit_frees releases it;
 * for a thread that does not hold it this does nothing. A fault counts as the agent's if it is in the agent's code, or in code that the
 * agent has called, but not in the JVM's, nor in code that the JVM has called. The fault handler must be held (fault_hold).
 *
 * Any number of threads may be in visits at once, but only VISITS_MAX of them can be left after a fault. A visit within another visit, or
 * within a turn, is a part of it. */
#ifndef CANDOR_AGENT_HOT_FAULT_VISIT_H
#define CANDOR_AGENT_HOT_FAULT_VISIT_H

#include "agent/hot/thread/turn.h"

#include <stdbool.h>
#include <stdint.h>

enum { VISITS_MAX = 256 };

/* Calls work(argument). Returns true if the work was done, and false if a fault ended it. Signal handlers must not call it. */
bool visit(void (*work)(void *), void *argument);
/* Frees the locks that the thread may hold. It is called on a thread that a fault made leave a visit in the middle. */
extern void (*visit_frees)(void);
/* Returns the calling thread's turn if the thread is in a visit and the agent's code caused the fault; else NULL. The handler of a fault
 * calls it. */
struct turn *visit_that_faulted(uintptr_t pc, uintptr_t sp);

#endif
