#include "agent/hot/calls/virtual_purpose.h"

#include "agent/hot/java/method.h"
#include "agent/hot/record.h"
#include "agent/hot/walk/walk.h"

#include <stdatomic.h>
#include <string.h>

enum { STEPS_MAX = 16 };

/* enum virtual_purpose by method id. Relaxed, because no other memory depends on them. */
static _Atomic uint8_t purposes[METHODS_MAX];

void virtual_purpose_forget(void)
{
    for (uint32_t i = 0; i < METHODS_MAX; i++)
        if (atomic_load_explicit(&purposes[i], memory_order_relaxed))
            atomic_store_explicit(&purposes[i], VIRTUAL_PURPOSE_NEW, memory_order_relaxed);
}

static bool begins(const char *text, uint16_t length, const char *with)
{
    uint16_t i = 0;
    while (with[i] && i < length && text[i] == with[i])
        i++;
    return !with[i];
}

static bool is(const char *text, uint16_t length, const char *other)
{
    uint16_t i = 0;
    while (i < length && other[i] && text[i] == other[i])
        i++;
    return i == length && !other[i];
}

/* The classes between the method that parks the virtual thread and the method that wanted this. */
static bool is_on_the_way(const struct method_info *m)
{
    return begins(m->class_name, m->class_len, "java/lang/VirtualThread") || begins(m->class_name, m->class_len, "java/lang/System$") ||
           begins(m->class_name, m->class_len, "jdk/internal/vm/") || is(m->class_name, m->class_len, "jdk/internal/misc/VirtualThreads") ||
           is(m->class_name, m->class_len, "java/util/concurrent/locks/LockSupport");
}

static enum virtual_purpose examine(const struct method_info *m)
{
    static const char *const io[] = {"sun/nio/ch/", "java/net/", "sun/net/", "java/io/", "java/lang/Process"};
    if (is(m->class_name, m->class_len, "java/lang/VirtualThread") && begins(m->name, m->name_len, "sleep"))
        return VIRTUAL_PURPOSE_SLEEP;
    if (is(m->class_name, m->class_len, "java/lang/Object") && begins(m->name, m->name_len, "wait"))
        return VIRTUAL_PURPOSE_WAIT;
    if (is_on_the_way(m))
        return VIRTUAL_PURPOSE_CALLER;
    for (size_t i = 0; i < sizeof io / sizeof *io; i++)
        if (begins(m->class_name, m->class_len, io[i]))
            return VIRTUAL_PURPOSE_IO;
    return VIRTUAL_PURPOSE_PARK;
}

static enum virtual_purpose purpose_of(uint32_t method)
{
    if (!method || method >= METHODS_MAX)
        return VIRTUAL_PURPOSE_PARK;
    uint8_t known = atomic_load_explicit(&purposes[method], memory_order_relaxed);
    if (known)
        return (enum virtual_purpose)known;
    struct method_info m = method_get(method);
    enum virtual_purpose purpose = examine(&m);
    atomic_store_explicit(&purposes[method], (uint8_t)purpose, memory_order_relaxed);
    return purpose;
}

enum virtual_purpose virtual_purpose(uintptr_t java_thread)
{
    struct walk w;
    uint64_t frame;
    walk_begin_at_call(&w, java_thread);
    for (int i = 0; i < STEPS_MAX && walk_next(&w, &frame); i++) {
        enum virtual_purpose purpose = frame_is_java(frame) ? purpose_of(frame_method(frame)) : VIRTUAL_PURPOSE_CALLER;
        if (purpose != VIRTUAL_PURPOSE_CALLER)
            return purpose;
    }
    /* A thread that is in no method of its own has ended. */
    return w.place == WALK_IS_OVER && w.outcome == OUTCOME_COMPLETE ? VIRTUAL_PURPOSE_END : VIRTUAL_PURPOSE_PARK;
}
