/* A turn: a section of the agent's own code in which a fault ends only that section, not the process.
 *
 *   if (!turn_take(&turn, work, argument))
 *       work was left where it faulted
 *
 * If a turn faults, hot/fault/fault.c makes the kernel continue after turn_take, with the registers, the stack and the signal mask of
 * that place. Whatever the work had begun stays as it is: locks held, a record open. Faults in the JVM's code, which
 * AsyncGetCallTrace and calls of JNI run, remain the JVM's. (A process with shadow stacks never loads the agent: the build
 * leaves it unmarked.)
 *
 * The first fault is recorded and ends all sampling in this process: code that has proved wrong once must not continue in
 * somebody else's program.
 *
 * At most one turn per thread at a time: a sampled thread's in its handler, the agent's own thread's, and other threads' during
 * a visit (hot/fault/visit.h). */
#ifndef CANDOR_AGENT_HOT_THREAD_TURN_H
#define CANDOR_AGENT_HOT_THREAD_TURN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct turn {
    uintptr_t sp; /* where it is left to; 0 = none is taken */
};

/* The first fault. */
struct turn_fault {
    int signal;
    uintptr_t offset;    /* of the instruction, or of the agent's call it came to pass in, in the agent's file; 0 = unknown */
    bool elsewhere;      /* the instruction lies outside of the agent: `offset` is that of the call */
    uint64_t process_ns; /* the process's CPU clock */
};

/* True: the work was done. Callable from a signal handler. */
bool turn_take(struct turn *turn, void (*work)(void *), void *argument);
/* Makes the calling thread the agent's own thread. Returns its turn. */
struct turn *turn_of_own_thread(void);

/* Set by the first that faults. */
extern _Atomic bool turn_first_claimed;

/* Whether a turn has ever faulted in this process. Any thread, handlers too. */
static inline bool turn_has_faulted(void)
{
    /* Relaxed: a handler that learns of it a moment later does no harm. */
    return atomic_load_explicit(&turn_first_claimed, memory_order_relaxed);
}

/* The first fault, once turn_has_faulted. */
struct turn_fault turn_first_fault(void);

/* Whether pc is in the agent's code. */
bool turn_is_own(uintptr_t pc);
/* For the handler of a fault: the caller's turn, if it is the agent's own thread and has taken one; else NULL. */
struct turn *turn_if_own_thread(void);
/* Changes the ucontext of a fault, so that the calling thread leaves its turn when the handler returns. */
void turn_leave(struct turn *turn, int signal, void *context);

#endif
