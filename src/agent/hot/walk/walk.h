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
    uintptr_t sp;     /* of its frame, which it shares with methods that were inlined into it */
};

/* The place where a walk continues. */
enum walk_place {
    WALK_AT_CODE,   /* at a pc in the JVM's code: it is looked up next */
    WALK_IN_NATIVE, /* in a frame of a library */
    WALK_IN_SCOPES, /* in a compiled frame: `compiled` has the next of its Java frames */
    WALK_IS_OVER    /* `outcome` says how it ended */
};

/* Which of the three functions below began the walk. */
enum walk_begun {
    WALK_BEGUN_AT_SIGNAL,   /* walk_begin: on the thread itself, which a signal interrupted at any instruction */
    WALK_BEGUN_AT_CALL,     /* walk_begin_at_call: on the thread itself, which has called the JVM */
    WALK_BEGUN_FROM_OUTSIDE /* walk_begin_still: the data may be gone by now, and none of it is cached */
};

/* How the thread left the present frame. All frames are leaves, except those that made a call. A leaf can also be in the middle of the
 * stack, below a signal's frame. */
enum walk_left {
    WALK_LEFT_BY_CALL,
    WALK_LEFT_BY_SIGNAL, /* at any instruction: the frame may be incomplete, or already gone */
    WALK_LEFT_AT_ENTRY   /* by a signal on the way into an interpreted method, whose frame is incomplete; only where a walk begins */
};

/* The owner of the frames so far, and where the frames are. */
enum walk_stack {
    WALK_STACK_OWN,     /* the thread's own stack; or a virtual thread's, whose entry has not been found yet */
    WALK_STACK_VIRTUAL, /* a virtual thread's: virtuals.entry is known */
    WALK_STACK_FROZEN   /* a virtual thread's, and the present frame is in the heap; never in native code */
};

/* The source of a compiled frame's Java frames. */
enum walk_site {
    WALK_SITE_DECODED,  /* from the scopes */
    WALK_SITE_RECALLED, /* from the remembered call site */
    WALK_SITE_LEARNT    /* from the scopes, and copied to the site, which is remembered if the scopes are complete */
};

/* The present compiled frame. */
struct walk_compiled {
    enum walk_site by;
    struct code_scopes scopes;
    struct call_site site;
    uint32_t site_next; /* index of the next frame in the site */
};

struct walk_virtuals {
    enum walk_stack stack;
    bool carrier_frames;  /* set by the caller after walk_begin: continue from the entry to the frames that the carrier had called */
    uintptr_t entry;      /* address of the virtual thread's entry on the stack, or slightly below it; 0 = none was found */
    struct frame barrier; /* while the walk is in the heap: where the stack continues */
    struct frozen_stack frozen;
    uint64_t moment; /* of the heap (heap_is_still), when the walk entered it */
};

/* Parts of the stack that are missing in the returned frames. */
struct walk_missing {
    bool gap;            /* native frames were skipped */
    bool told;           /* the pseudo frame for `cut` was returned */
    enum truncation cut; /* why a stack was cut; 0 = it was not */
};

struct walk {
    /* Set at the beginning. */
    enum walk_begun begun;
    struct registers at; /* of the interrupted thread; all 0 if the walk did not begin at a signal */
    uintptr_t java_thread;
    enum jfr_thread_state state;
    struct walked_method *walked; /* room for FRAMES_MAX methods, or NULL; set by the caller after walk_begin */

    /* The present frame. */
    enum walk_place place;
    enum walk_left left;
    uintptr_t pc, sp, fp;
    uintptr_t anchor; /* for native frames: where Java continues if the native frames cannot be walked; 0 = unknown */
    struct code code; /* for other frames */
    struct walk_compiled compiled;
    struct walk_virtuals virtuals;

    /* The results so far. */
    uint32_t frames, steps, java_frames;
    struct walk_missing missing;
    enum outcome outcome; /* valid when the walk is over */
};

/* Begins at the registers. java_thread: the thread's JavaThread*, 0 for a thread that Java does not know. */
void walk_begin(struct walk *w, const struct registers *at, uintptr_t java_thread);
/* Begins for a thread that has called from Java into the JVM, which called the agent. The walk begins at its last Java frame, without the
 * native frames above. Handlers must not call it. The fault handler must be installed. */
void walk_begin_at_call(struct walk *w, uintptr_t java_thread);
/* Returns where such a thread left its last Java frame: the address after the call instruction; 0 = unknown. */
uintptr_t walk_call(uintptr_t java_thread);
bool walk_next(struct walk *w, uint64_t *frame);
/* Begins at the last Java frame of another thread, which the caller believes to stand still in native code or in the JVM. The native frames
 * above it are left out. The thread's CPU clock shows afterwards whether it stood still; if it did not, discard the walk. Any thread whose
 * fault handlers are installed may call it. */
void walk_begin_still(struct walk *w, uintptr_t java_thread);

/* Whether the walk has found the entry of a virtual thread, or its frames in the heap. */
static inline bool walk_is_virtual(const struct walk *w)
{
    return w->virtuals.stack != WALK_STACK_OWN;
}

/* Bounds of libjvm's code, in which frame pointers can be trusted. They are set before the first walk. */
extern uintptr_t walk_libjvm_low, walk_libjvm_high;

static inline bool walk_is_in_libjvm(uintptr_t pc)
{
    return pc >= walk_libjvm_low && pc < walk_libjvm_high;
}

#endif
