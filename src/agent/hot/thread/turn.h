/* A turn: a section of the agent's own code in which a fault ends only that section, not the process.
 *
 *   if (!turn_take(&turn, work, argument))
 *       work was left where it faulted
 *
 * If a turn faults, hot/fault/fault.c makes the kernel continue after turn_take, with the registers, the stack and the signal mask of that
 * place. Whatever the work had begun stays as it is: locks held, a record open. Faults in the JVM's code, which AsyncGetCallTrace and calls
 * of JNI run, remain the JVM's. (A process with shadow stacks never loads the agent: the build leaves it unmarked.)
 *
 * The first fault is recorded and ends all sampling in this process: code that is known to be wrong must not continue in a user's program.
 *
 * Each thread is in at most one turn at a time. A sampled thread takes it in its handler, other threads during a visit (hot/fault/visit.h),
 * and the agent's own thread has one, too. */
#ifndef CANDOR_AGENT_HOT_THREAD_TURN_H
#define CANDOR_AGENT_HOT_THREAD_TURN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct turn {
    uintptr_t sp; /* the stack pointer with which it is left; 0 = the turn is not taken */
};

/* The first fault. */
struct turn_fault {
    int signal;
    uintptr_t offset;    /* of the instruction in the agent's file, or of the agent's call in which the fault happened; 0 = unknown */
    bool elsewhere;      /* the instruction is not in the agent's code: `offset` is that of the call */
    uint64_t process_ns; /* the process's CPU clock */
};

/* Calls work(argument) as a turn. Returns true if the work was done. It may be called from a signal handler. */
bool turn_take(struct turn *turn, void (*work)(void *), void *argument);
/* Makes the calling thread the agent's own thread. Returns its turn. */
struct turn *turn_of_own_thread(void);

/* Set by the first turn that faults. */
extern _Atomic bool turn_first_claimed;

/* Whether a turn has ever faulted in this process. Any thread may call it, and so may handlers. */
static inline bool turn_has_faulted(void)
{
    /* Relaxed, because a handler that learns about the fault slightly later does no harm. */
    return atomic_load_explicit(&turn_first_claimed, memory_order_relaxed);
}

/* Returns the first fault. Call it only if turn_has_faulted. */
struct turn_fault turn_first_fault(void);

/* Whether pc is in the agent's code. */
bool turn_is_own(uintptr_t pc);
/* Returns the caller's turn if the caller is the agent's own thread and has taken one; else NULL. The handler of a fault calls it. */
struct turn *turn_if_own_thread(void);
/* Changes the ucontext of a fault so that the calling thread leaves its turn when the handler returns. */
void turn_leave(struct turn *turn, int signal, void *context);

#endif
