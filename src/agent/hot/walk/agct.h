/* AsyncGetCallTrace, the JVM's own stack walker for profilers. It returns Java frames only, and gives up in stubs and in native code that
 * was called without an anchor. So it is used if the JVM's tables cannot be read, and otherwise as a check: the mode `compare` walks each
 * sample both ways and counts how often the two agree. */
#ifndef CANDOR_AGENT_HOT_WALK_AGCT_H
#define CANDOR_AGENT_HOT_WALK_AGCT_H

#include "agent/hot/thread/thread.h"
#include "agent/hot/walk/walk.h"
#include "base/agreed/reasons.h"

#include <stdint.h>

enum walker { WALKER_AUTO, WALKER_VMSTRUCTS, WALKER_AGCT, WALKER_COMPARE, WALKERS };
extern const char *const walker_names[WALKERS];

struct agct_frame {
    int32_t bci; /* -3 = native method */
    void *method_id;
};

struct agct_trace {
    void *env;
    int32_t count; /* number of frames, or a code from 0 to -10 */
    struct agct_frame *frames;
};

/* The functions of this JVM, filled before the first walk (entry/java.c). function NULL: this JVM does not have it. */
struct agct {
    void (*function)(struct agct_trace *trace, int32_t depth, void *ucontext);
    /* Called by the collector: prepare makes the JVM create what the function needs, and name_method names a method of
     * hot/java/method.h. */
    void (*prepare)(void);
    void (*name_method)(uint32_t id);
};
extern struct agct agct;

/* The results of the mode `compare`. Any handler adds to them. Inlined: the frames are the same, but for the topmost one they found other
 * methods that were inlined into its method. Shorter: our methods are a prefix of theirs. Longer: their methods are a prefix of ours. */
enum agct_verdict {
    AGCT_IDENTICAL,
    AGCT_INLINED,
    AGCT_SHORTER,
    AGCT_LONGER,
    AGCT_DIFFERENT,
    AGCT_ONLY_WALKER,
    AGCT_ONLY_AGCT,
    AGCT_NEITHER,
    AGCT_VERDICTS
};
extern _Atomic uint64_t agct_verdicts[AGCT_VERDICTS];
extern const char *const agct_verdict_names[AGCT_VERDICTS];

/* Gets memory for the traces of all threads. Only modes that call AsyncGetCallTrace need it. Returns 0 or -ENOMEM. */
int agct_init(void);
void agct_deinit(void);

/* Calls AsyncGetCallTrace and puts its frames into the open record. Handlers call it. */
enum outcome agct_record(struct sampled_thread *t, const void *ucontext);
/* Walks as walk.h does and puts those frames into the open record, then compares both walks. */
enum outcome agct_compare(struct sampled_thread *t, struct walk *w, const void *ucontext);

#endif
