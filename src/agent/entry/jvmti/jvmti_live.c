#include "agent/entry/jvmti/jvmti_live.h"

#include "agent/entry/jvmti/java_attach.h"
#include "agent/entry/jvmti/jvmti_collections.h"
#include "agent/hotspot/collections.h"
#include "agent/trigger/jvm/live_objects.h"
#include "base/text/units.h"

#include <errno.h>
#include <stdbool.h>

static bool is_open;

/* Notes the end of a collection. It runs on the JVM's own thread while all others stand still, so it uses neither JNI nor JVMTI. */
static void collected(void)
{
    live_pauses_add(clock_monotonic_ns(), collections_heap_used());
}

static const struct jvmti_collections_user user = {NULL, collected};

static int open_events(struct error *e)
{
    if (!java_attach())
        return java_attach_refused(e);
    jvmtiError rc = jvmti_collections_open(&user);
    is_open = !rc;
    java_detach();
    return rc ? error_set(e, -ENOTSUP, "event=live: this JVM does not report its collections (JVMTI error %d); use event=alloc", (int)rc)
              : 0;
}

static void close_events(void)
{
    if (!is_open || !java_attach())
        return;
    is_open = false;
    jvmti_collections_close(&user);
    java_detach();
}

/* Finds the objects that are alive. A cleared reference is the same object as null. The function makes no reference to the object itself,
 * because that would keep the object alive meanwhile. */
static bool look(const uintptr_t *references, bool *is_alive, uint32_t count)
{
    JNIEnv *jni = java_attach();
    if (!jni)
        return false;
    for (uint32_t i = 0; i < count; i++)
        is_alive[i] = !(*jni)->IsSameObject(jni, (jobject)references[i], NULL);
    java_detach();
    return true;
}

static bool forget(const uintptr_t *references, uint32_t count)
{
    JNIEnv *jni = java_attach();
    if (!jni)
        return false;
    for (uint32_t i = 0; i < count; i++)
        (*jni)->DeleteWeakGlobalRef(jni, (jweak)references[i]);
    java_detach();
    return true;
}

void jvmti_live_init(void)
{
    live_objects = (struct live_objects){open_events, close_events, look, forget};
}
