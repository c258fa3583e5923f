/* Stack space for a handler. The clocks' handlers run on the thread's alternate stack if it has one (sigaltstack): the thread's own stack
 * may be too small for any handler, like a goroutine's few KiB. An alternate stack may be too small, too: the smallest holds little more
 * than the kernel's frame. In that case a handler moves to one of the spare stacks here, which is the thread's alternate stack until the
 * handler returns, so that a fault in the handler stays there.
 *
 *   if (!room_run(context, asks_jvm, work, argument))
 *       nothing was done: all spare stacks are taken
 *
 * Signal handlers call these functions, except room_init and room_deinit. */
#ifndef CANDOR_AGENT_HOT_SIGNAL_ROOM_H
#define CANDOR_AGENT_HOT_SIGNAL_ROOM_H

#include <stdbool.h>

enum {
    ROOM_SPARES = 16,
    ROOM_SPARE_BYTES = 64 << 10,
    ROOM_OWN_BYTES = 5 << 10, /* for a handler's frames, 4 KiB at most (handler.h), and the fault handler's */
    ROOM_KERNEL_FRAMES = 3,   /* the frames of a load that faults, of a trap that waited for it, and of the C library's own signal */
    ROOM_JVM_BYTES = 24 << 10 /* for AsyncGetCallTrace, if it is used */
};

/* Returns 0 or a negative errno. */
int room_init(void);
void room_deinit(void);

/* Calls work(argument) for the handler that was given this ucontext. asks_jvm: the work uses AsyncGetCallTrace. Returns false if the work
 * was not done, because all spare stacks are in use. */
bool room_run(const void *context, bool asks_jvm, void (*work)(void *), void *argument);

#endif
