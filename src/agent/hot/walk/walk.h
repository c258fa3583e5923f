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

/* Where a walk goes on. */
enum walk_place {
    WALK_AT_CODE,   /* at a pc that lies in code of the JVM's: it is looked up next */
    WALK_IN_NATIVE, /* in a frame of a library */
    WALK_IN_SCOPES, /* in a compiled frame: `compiled` has the next of the Java frames it stands for */
    WALK_IS_OVER    /* `outcome` says how it ended */
};

/* By which of the three functions below it was begun. */
enum walk_begun {
    WALK_BEGUN_AT_SIGNAL,   /* walk_begin: on the thread itself, which a signal interrupted at any instruction */
    WALK_BEGUN_AT_CALL,     /* walk_begin_at_call: on the thread itself, which has called the JVM */
    WALK_BEGUN_FROM_OUTSIDE /* walk_begin_still: the data may be gone by now, and nothing of it is cached */
};

/* How the frame here was left. All but one that made a call are leaves: in the midst of the stack, too, below a signal's frame. */
enum walk_left {
    WALK_LEFT_BY_CALL,
    WALK_LEFT_BY_SIGNAL, /* at any instruction: it may not stand yet, or no more */
    WALK_LEFT_AT_ENTRY   /* by a signal on the way into an interpreted method, whose frame does not stand yet; only where a walk begins */
};

/* Whose the frames so far are, and where they lie. */
enum walk_stack {
    WALK_STACK_OWN,     /* the thread's own; or a virtual thread's, whose entry has not been met yet */
    WALK_STACK_VIRTUAL, /* a virtual thread's: virtuals.entry is known */
    WALK_STACK_FROZEN   /* a virtual thread's, and the frame here is in the heap; never in native code */
};

/* From where the Java frames come that a compiled frame stands for. */
enum walk_site {
    WALK_SITE_DECODED,  /* from the scopes */
    WALK_SITE_RECALLED, /* from the site, which is known */
    WALK_SITE_LEARNT    /* from the scopes, and into the site, to be remembered when they are whole */
};

/* The compiled frame here. */
struct walk_compiled {
    enum walk_site by;
    struct code_scopes scopes;
    struct call_site site;
    uint32_t site_next; /* of its frames */
};

struct walk_virtuals {
    enum walk_stack stack;
    bool carrier_frames;  /* the caller's to set after walk_begin: go on from the entry to what the carrier had called */
    uintptr_t entry;      /* of the virtual thread: where its entry lies on the stack, or close below; 0 = none was met */
    struct frame barrier; /* while in the heap: where the stack goes on */
    struct frozen_stack frozen;
    uint64_t moment; /* of the heap, when it was entered */
};

/* What is not in the frames that were handed out. */
struct walk_missing {
    bool gap;            /* native frames were skipped */
    bool told;           /* the pseudo frame that tells of `cut` was handed out */
    enum truncation cut; /* why a stack was cut; 0 = it was not */
};

struct walk {
    /* From the beginning on. */
    enum walk_begun begun;
    struct registers at; /* of the interrupted thread; all 0 if it was begun elsewhere */
    uintptr_t java_thread;
    enum jfr_thread_state state;
    struct walked_method *walked; /* FRAMES_MAX of them, or NULL; the caller's to set after walk_begin */

    /* The frame here. */
    enum walk_place place;
    enum walk_left left;
    uintptr_t pc, sp, fp;
    uintptr_t anchor; /* of native frames: where Java goes on if they cannot be left; 0 = nowhere */
    struct code code; /* of others */
    struct walk_compiled compiled;
    struct walk_virtuals virtuals;

    /* What has come of it. */
    uint32_t frames, steps, java_frames;
    struct walk_missing missing;
    enum outcome outcome; /* when it is over */
};

/* java_thread: the thread's JavaThread*, 0 for a thread Java does not know. */
void walk_begin(struct walk *w, const struct registers *at, uintptr_t java_thread);
/* The same for a thread that has called from Java into the JVM, and from there us: its stack from its last Java frame on, without the
 * native frames above. Not in a handler; the handler of faults is installed. */
void walk_begin_at_call(struct walk *w, uintptr_t java_thread);
/* Where such a thread left its last Java frame: the address after the call instruction; 0 = unknown. */
uintptr_t walk_call(uintptr_t java_thread);
bool walk_next(struct walk *w, uint64_t *frame);
/* Begins at the last Java frame of another thread, which the caller believes to stand still in native code or in the JVM: the
 * native frames above it are left out. Its CPU clock shows afterwards whether it stood still; if it did not, discard the walk.
 * Any thread whose fault handlers are installed. */
void walk_begin_still(struct walk *w, uintptr_t java_thread);

/* Whether the entry of a virtual thread, or its frames in the heap, have been met. */
static inline bool walk_is_virtual(const struct walk *w)
{
    return w->virtuals.stack != WALK_STACK_OWN;
}

/* Bounds of libjvm's code, where frame pointers can be trusted; set before the first walk. */
extern uintptr_t walk_libjvm_low, walk_libjvm_high;

static inline bool walk_is_in_libjvm(uintptr_t pc)
{
    return pc >= walk_libjvm_low && pc < walk_libjvm_high;
}

#endif
