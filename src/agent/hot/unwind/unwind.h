/* One step from a frame of native code to its caller. It may be called from a signal handler, and its work is bounded.
 *
 * Rules are remembered per pc in a table without locks (the key and the rule are stored as two words, the first masked with the second, so
 * that a mixture of two entries matches no key: R. Hyatt and T. Mann, "A lockless transposition table implementation for parallel search",
 * 2002). */
#ifndef CANDOR_AGENT_HOT_UNWIND_UNWIND_H
#define CANDOR_AGENT_HOT_UNWIND_UNWIND_H

#include "agent/hot/unwind/frame.h"

enum unwind_step {
    UNWIND_CALLER,      /* the frame is now its caller's */
    UNWIND_INTERRUPTED, /* the frame is now the one that the handled signal interrupted, with that frame's registers */
    UNWIND_END,         /* the frame was the outermost of its thread */
    UNWIND_UNKNOWN      /* no description covers the frame, or its memory is gone; the frame is unchanged */
};

/* Does the step. at: the registers, if f was interrupted. is_leaf: f was interrupted; otherwise its pc is a return address. */
enum unwind_step unwind_step(struct frame *f, struct registers *at, bool is_leaf);

#endif
