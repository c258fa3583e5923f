/* Turns (hot/turn.h) for threads on which the JVM has the agent run for a moment, sampled or not: JVMTI's callbacks, and its loading.
 *
 *   visit(work, argument)     work may be left where it faults, as a turn is
 *
 * Unlike a handler's turn it runs with the program's signal mask, and may take locks: those that it leaves taken visit_frees frees, each in
 * vain where the thread has not got it. A fault is taken for the agent's in its own code, and in code that it has called; not in the JVM's,
 * nor in what the JVM has called. Needs the handler of faults (fault_hold).
 *
 * Any number of threads at once; the first VISITS_MAX of them can be left. A visit within another, or in another turn, is a part of it. */
#ifndef CANDOR_AGENT_HOT_VISIT_H
#define CANDOR_AGENT_HOT_VISIT_H

#include "agent/hot/turn.h"

#include <stdbool.h>
#include <stdint.h>

enum { VISITS_MAX = 256 };

/* True: the work was done. Not for handlers. */
bool visit(void (*work)(void *), void *argument);
/* What a thread calls when it has left a visit in its midst. */
extern void (*visit_frees)(void);
/* For the handler of a fault: the caller's turn, if it is on a visit that has faulted; else NULL. */
struct turn *visit_that_faulted(uintptr_t pc, uintptr_t sp);

#endif
