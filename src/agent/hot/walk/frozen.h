/* Frames of a virtual thread that are in the heap. A virtual thread that continues after a wait gets its frames back a few at a time: the
 * lowest on its stack returns to a stub, the return barrier, which fetches the next. Until then they are in a chain of
 * jdk.internal.vm.StackChunk:
 *
 *     object  fields  stack words [0 .. sp) unused, [sp .. bottom) frames, leaf first
 *
 * laid out as on a stack, with the return address below each frame's sp; interpreted frames keep distances from their frame pointer instead
 * of addresses. Handlers call these functions, and their work is bounded. */
#ifndef CANDOR_AGENT_HOT_WALK_FROZEN_H
#define CANDOR_AGENT_HOT_WALK_FROZEN_H

#include "agent/hot/unwind/frame.h"

enum frozen {
    FROZEN_FRAME,
    FROZEN_END,       /* there are no more frames */
    FROZEN_UNREADABLE /* they cannot be found while the collector moves them, or the words are not frames */
};

struct frozen_stack {
    uintptr_t chunk, end; /* end of its frames */
    uint32_t chunks;
};

/* Finds the topmost frozen frame of the virtual thread whose object is `thread`. */
enum frozen frozen_begin(struct frozen_stack *s, uintptr_t thread, struct frame *f);
/* Goes from f, whose code is c, to its caller. */
enum frozen frozen_caller(struct frozen_stack *s, const struct code *c, struct frame *f);

#endif
