/* Keeps the traps of the SIGTRAP clock away from a JVM that is about to die. HotSpot writes its crash report under signal handlers of its
 * own, and SIGTRAP's is among them: a trap of ours in the reporting thread would end a step of the report, and a trap in another thread
 * would be reported to the user as an error of that thread.
 *
 * Most faults are not crashes: HotSpot uses them for null checks and safepoints, and returns. So the clocks are stopped while HotSpot
 * handles the fault, and continue afterwards where they stopped. The functions may be called from a signal handler. With other clocks they
 * have no effect. */
#ifndef CANDOR_AGENT_HOT_FAULT_TRAPS_H
#define CANDOR_AGENT_HOT_FAULT_TRAPS_H

#include "agent/hot/thread/thread.h"

#include <stdbool.h>
#include <stdint.h>

struct traps_held {
    struct sampled_thread *thread; /* the calling thread, or NULL */
    uint32_t generation;
    bool all;
};

/* Stops clocks before a fault at pc is passed on. pc 0 means a signal that another process or thread sent. A fault in code that the JVM
 * made stops only the calling thread's clock. The JVM expects no faults elsewhere, so these stop all clocks. */
void traps_hold(struct traps_held *held, uintptr_t pc);
/* Lets the stopped clocks continue, after a fault that did not end the process. */
void traps_let_go(const struct traps_held *held);
/* Ends a hold that has lasted for two seconds. The collector calls it ten times a second while it samples by traps. Otherwise a hold could
 * last forever: the JVM may leave its handler by a jump past ours, for instance when a thread of Flight Recorder faulted on another
 * thread's stack. A JVM that is dying is not disturbed: after two seconds it has installed its own handler of SIGTRAP. */
void traps_look(void);
/* Stops all clocks for good, because SIGTRAP has another handler. It may also be called outside of signal handlers. */
void traps_hold_all(void);
/* Stops all clocks for the thread that is about to install another handler of SIGTRAP. Afterwards no handler of ours starts a clock any
 * more. It may be called at any time. */
void traps_end(void);

#endif
