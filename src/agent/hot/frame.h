/* How frames look on this processor; the one file per processor that knows instructions (frame_x86_64.c). Callable from
 * a signal handler; bounded. */
#ifndef CANDOR_AGENT_HOT_FRAME_H
#define CANDOR_AGENT_HOT_FRAME_H

#include "agent/hot/code.h"
#include "agent/hot/walk.h"

struct frame {
    uintptr_t pc, sp, fp;
};

/* The registers of an interrupted thread, from the signal's ucontext. */
void frame_registers(struct registers *out, const void *ucontext);
/* True when pc can be where a call returns to: behind a call in compiled code, in the interpreter, or the call stub's. */
bool frame_is_return_address(uintptr_t pc);
/* The caller of compiled code that was interrupted anywhere: prologue, body or epilogue. */
bool frame_leaf_caller(const struct code *c, struct frame *f);
/* The caller of compiled code that is itself calling. */
bool frame_caller(const struct code *c, struct frame *f);
/* The caller of a stub; was_interrupted: pc is not a return address. */
bool frame_stub_caller(const struct code *c, struct frame *f, bool was_interrupted);
/* The nearest Java caller of native code that Java called without leaving an anchor. */
bool frame_native_caller(struct frame *f, bool has_frame_pointers);

#endif
