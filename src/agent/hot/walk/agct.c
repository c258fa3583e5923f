#include "agent/hot/walk/agct.h"

#include "agent/hot/java/method.h"
#include "agent/hot/layout.h"
#include "agent/hot/record.h"

#include <errno.h>
#include <sys/mman.h>

struct agct agct;
const char *const walker_names[WALKERS] = {"auto", "vmstructs", "agct", "compare"};
_Atomic uint64_t agct_verdicts[AGCT_VERDICTS];
const char *const agct_verdict_names[AGCT_VERDICTS] = {"identical", "inlined",     "shorter",   "longer",
                                                       "different", "only_walker", "only_agct", "neither"};

struct scratch {
    struct agct_frame frames[FRAMES_MAX];
    struct walked_method walked[FRAMES_MAX];
};

static struct scratch *scratch; /* indexed by slot; only threads that are sampled use their pages */

int agct_init(void)
{
    void *p = mmap(NULL, THREADS_MAX * sizeof *scratch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return -ENOMEM;
    scratch = p;
    for (int i = 0; i < AGCT_VERDICTS; i++)
        atomic_store(&agct_verdicts[i], 0);
    return 0;
}

void agct_deinit(void)
{
    if (scratch)
        munmap(scratch, THREADS_MAX * sizeof *scratch);
    scratch = NULL;
}

/* Calls AsyncGetCallTrace. GetEnv cannot be used in handlers, because in a thread that has not called the JVM yet it allocates the JVM's
 * thread-local variables. */
static int32_t call(struct sampled_thread *t, const void *ucontext)
{
    uintptr_t java_thread = atomic_load_explicit(&t->java_thread, memory_order_relaxed); /* relaxed, because this thread itself writes it */
    struct agct_trace trace = {.env = (void *)(java_thread + vm_layout.env_offset), .frames = scratch[t->index].frames};
    if (!java_thread || !vm_layout.env_offset)
        return -3; /* the result of AsyncGetCallTrace for threads that are not Java threads */
    agct.function(&trace, FRAMES_MAX, (void *)ucontext);
    return trace.count;
}

static enum outcome outcome_of(int32_t count)
{
    static const enum outcome codes[] = {OUTCOME_AGCT_NO_JAVA,        OUTCOME_AGCT_NO_CLASS_LOAD, OUTCOME_AGCT_GC,
                                         OUTCOME_AGCT_UNKNOWN_NATIVE, OUTCOME_AGCT_NATIVE,        OUTCOME_AGCT_UNKNOWN_JAVA,
                                         OUTCOME_AGCT_JAVA,           OUTCOME_AGCT_STATE,         OUTCOME_AGCT_EXITING,
                                         OUTCOME_AGCT_DEOPT,          OUTCOME_AGCT_SAFEPOINT};
    if (count > 0)
        return count < FRAMES_MAX ? OUTCOME_COMPLETE : OUTCOME_TRUNCATED;
    return -count < (int32_t)(sizeof codes / sizeof *codes) ? codes[-count] : OUTCOME_AGCT_STATE;
}

enum outcome agct_record(struct sampled_thread *t, const void *ucontext)
{
    int32_t count = call(t, ucontext);
    const struct agct_frame *frames = scratch[t->index].frames;
    for (int32_t i = 0; i < count; i++) {
        uint32_t id = method_intern_id((uintptr_t)frames[i].method_id);
        bool native = frames[i].bci == -3;
        candor_queue_put(&t->queue, frame_java(native ? (unsigned)FRAME_NATIVE_METHOD : JFR_FRAME_C2, id,
                                               frames[i].bci > 0 ? (uint32_t)frames[i].bci : 0));
    }
    return outcome_of(count);
}

static bool same_frame(const struct agct_frame *theirs, const struct walked_method *ours)
{
    uintptr_t id;
    return method_jmethod_id(ours->method, &id) && id == (uintptr_t)theirs->method_id;
}

/* Whether all frames from the method on into which the topmost methods were inlined are the same. */
static bool same_below_inlined(const struct scratch *s, uint32_t theirs, uint32_t ours)
{
    uint32_t outer = 0;
    while (outer + 1 < ours && s->walked[outer + 1].sp == s->walked[0].sp)
        outer++;
    uint32_t common = ours - outer;
    if (common > theirs)
        return false;
    for (uint32_t i = 0; i < common; i++)
        if (!same_frame(&s->frames[theirs - common + i], &s->walked[outer + i]))
            return false;
    return true;
}

static enum agct_verdict judge(const struct scratch *s, int32_t theirs, uint32_t ours)
{
    if (theirs <= 0)
        return ours ? AGCT_ONLY_WALKER : AGCT_NEITHER;
    if (!ours)
        return AGCT_ONLY_AGCT;
    uint32_t i = 0, shorter = ours < (uint32_t)theirs ? ours : (uint32_t)theirs;
    while (i < shorter && same_frame(&s->frames[i], &s->walked[i]))
        i++;
    if (i < shorter)
        return same_below_inlined(s, (uint32_t)theirs, ours) ? AGCT_INLINED : AGCT_DIFFERENT;
    if (ours == (uint32_t)theirs)
        return AGCT_IDENTICAL;
    return ours < (uint32_t)theirs ? AGCT_SHORTER : AGCT_LONGER;
}

enum outcome agct_compare(struct sampled_thread *t, struct walk *w, const void *ucontext)
{
    struct scratch *s = &scratch[t->index];
    uint64_t frame;
    w->walked = s->walked;
    while (walk_next(w, &frame))
        candor_queue_put(&t->queue, frame);
    enum agct_verdict v = judge(s, call(t, ucontext), w->java_frames);
    /* Relaxed, because no other memory depends on this count. */
    atomic_fetch_add_explicit(&agct_verdicts[v], 1, memory_order_relaxed);
    return w->outcome;
}
