/* The stack walker: an iterator over the frames of the calling thread as a signal interrupted it, or of another thread that
 * stands still.
 *
 *   walk_begin(&w, registers, java_thread);
 *   while (walk_next(&w, &frame))
 *       ...
 *   w.outcome says whether the walk reached the root
 *
 * The frames of a virtual thread end at its entry, and the walk ends with them; frames that are in the heap are walked there.
 *
 * It reads the interrupted thread's own stack and the JVM's structures through hot/load.h, takes bounded time (FRAMES_MAX
 * frames, a bounded number of steps between two), and allocates nothing: it is for signal handlers, and for threads whose fault
 * handlers are installed. */
#ifndef CANDOR_AGENT_HOT_WALK_WALK_H
#define CANDOR_AGENT_HOT_WALK_WALK_H

#include "agent/hot/java/call_site.h"
#include "agent/hot/unwind/frame.h"
#include "agent/hot/walk/frozen.h"
#include "base/agreed/reasons.h"
#include "jfr/schema.h"

#include <stdbool.h>
#include <stdint.h>

/* A Java frame as the walker found it, for comparison with another walker. */
struct walked_method {
    uintptr_t method; /* Method* */
    int32_t bci;
};

struct walk {
    uintptr_t pc, sp, fp;
    struct registers at; /* of the interrupted thread */
    struct code code;
    struct code_scopes scopes;
    struct call_site site; /* of the compiled frame here */
    uint32_t site_next;    /* of its frames */
    bool recalls, learns;  /* it is known; it can be remembered */
    uintptr_t anchor; /* of the native frames here: where Java goes on if they cannot be left; 0 = nowhere */
    bool in_native, in_scopes, leaf, done;
    bool at_entry; /* a leaf on its way into an interpreted method whose frame does not stand yet */
    bool has_gap; /* native frames were skipped */
    bool still; /* walked from outside: the data may be gone by now, and nothing of it is cached */
    bool carrier_frames; /* set after walk_begin: go on from a virtual thread's entry to what its carrier had called */
    bool is_virtual; /* the frames are a virtual thread's; entry: where its entry lies on the stack, or close below */
    uintptr_t java_thread, entry;
    bool in_heap, marked;
    struct frame barrier; /* while in the heap: where the stack goes on */
    struct frozen_stack frozen;
    uint64_t moment; /* of the heap, when it was entered */
    enum truncation cut;
    uint32_t frames, steps, java_frames;
    struct walked_method *walked; /* FRAMES_MAX of them, or NULL */
    enum outcome outcome;
    enum jfr_thread_state state;
};

/* java_thread: the thread's JavaThread*, 0 for a thread Java does not know. */
void walk_begin(struct walk *w, const struct registers *at, uintptr_t java_thread);
/* The same for a thread that has called from Java into the JVM, and from there us: its stack from its last Java frame on, without the
 * native frames above. Not in a handler; the handler of faults is installed. */
void walk_begin_at_call(struct walk *w, uintptr_t java_thread);
/* The place at which such a thread left its last Java frame: the address after the call; 0 = unknown. */
uintptr_t walk_call(uintptr_t java_thread);
bool walk_next(struct walk *w, uint64_t *frame);
/* Begins at the last Java frame of another thread, which the caller believes to stand still in native code or in the JVM: the
 * native frames above it are left out. Its CPU clock shows afterwards whether it stood still; if it did not, discard the walk.
 * Any thread whose fault handlers are installed. */
void walk_begin_still(struct walk *w, uintptr_t java_thread);

/* Bounds of libjvm's code, where frame pointers can be trusted; set before the first walk. */
extern uintptr_t walk_libjvm_low, walk_libjvm_high;

static inline bool walk_is_in_libjvm(uintptr_t pc)
{
    return pc >= walk_libjvm_low && pc < walk_libjvm_high;
}

#endif
