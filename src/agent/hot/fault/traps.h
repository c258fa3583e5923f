/* Keeps the traps of the SIGTRAP clock away from a JVM that is about to die. HotSpot writes its crash report under signal
 * handlers of its own, and SIGTRAP's is among them: a trap of ours in the reporting thread would end a step of the report, and
 * a trap in another thread would be reported to the user as an error of that thread.
 *
 * Most faults are not crashes: HotSpot uses them for null checks and safepoints, and returns. So the clocks are stopped while
 * HotSpot handles the fault, and continue afterwards where they stopped. Callable from a signal handler; no effect with other
 * clocks. */
#ifndef CANDOR_AGENT_HOT_FAULT_TRAPS_H
#define CANDOR_AGENT_HOT_FAULT_TRAPS_H

#include "agent/hot/thread/thread.h"

#include <stdbool.h>
#include <stdint.h>

struct traps_held {
    struct sampled_thread *thread; /* the calling one, or NULL */
    uint32_t generation;
    bool all;
};

/* Call before a fault at pc is passed on; 0: a signal that another process or thread sent. A fault in code that the JVM made
 * stops only the calling thread's clock; the JVM expects no faults elsewhere, and all clocks are stopped. */
void traps_hold(struct traps_held *held, uintptr_t pc);
/* Lets the stopped clocks continue, after a fault that did not end the process. */
void traps_let_go(const struct traps_held *held);
/* For the collector, which calls it ten times a second while it samples by traps: ends a hold that has lasted for two
 * seconds. The JVM may leave its handler by a jump past our handler, for instance when a thread of Flight Recorder faulted
 * on another thread's stack. A JVM that dies has installed its own handler of SIGTRAP by then. */
void traps_look(void);
/* Stops all clocks for good. Called when SIGTRAP is found to have another handler; not only from a signal handler. */
void traps_hold_all(void);
/* The same for the thread that is about to install another handler of SIGTRAP: afterwards no handler of ours starts a clock any more.
 * Callable at any time. */
void traps_end(void);

#endif
