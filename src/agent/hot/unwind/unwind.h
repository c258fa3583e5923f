/* One step from a frame of native code to its caller. Callable from a signal handler; bounded.
 *
 * Rules are remembered per pc in a table without locks (the key and the rule are stored as two words, the first masked
 * with the second, so that a mixture of two entries matches no key: R. Hyatt and T. Mann, "A lockless transposition table
 * implementation for parallel search", 2002). */
#ifndef CANDOR_AGENT_HOT_UNWIND_UNWIND_H
#define CANDOR_AGENT_HOT_UNWIND_UNWIND_H

#include "agent/hot/unwind/frame.h"

enum unwind_step {
    UNWIND_CALLER,      /* the frame is now its caller's */
    UNWIND_INTERRUPTED, /* the frame is now the one that the handled signal interrupted, with that frame's registers */
    UNWIND_END,         /* it was the outermost of its thread */
    UNWIND_UNKNOWN      /* nothing describes it, or its memory is gone; the frame is unchanged */
};

/* at: the registers, if f was interrupted. is_leaf: f was interrupted; otherwise its pc is a return address. */
enum unwind_step unwind_step(struct frame *f, struct registers *at, bool is_leaf);

#endif
