#include "agent/entry/jvmti/jvmti_alloc.h"

#include "agent/entry/jvmti/java_attach.h"
#include "agent/hot/calls/alloc.h"
#include "agent/hot/layout.h"
#include "agent/hot/walk/walk.h"
#include "agent/record/jvm.h"
#include "agent/symbolize/native.h"
#include "agent/trigger/jvm/alloc_events.h"
#include "agent/trigger/jvm/live_objects.h"

#include <errno.h>
#include <stdbool.h>

static jvmtiEnv *jvmti;
static jfieldID id_field;
static bool is_open;
static jint interval_before;

static const jvmtiCapabilities capability = {.can_generate_sampled_object_alloc_events = 1};

/* Returns the present interval. JVMTI has no function for this. It is the JVM's default unless another agent has set one, which the symbols
 * of the JVM's library may show. */
static jint interval_now(void)
{
    const int *known = (const int *)native_data(walk_libjvm_low, "_ZN17ThreadHeapSampler18_sampling_intervalE");
    return known && *known >= 0 ? *known : ALLOC_INTERVAL_JVM;
}

static int refuse(jvmtiError why, struct error *e)
{
    if (jvm_facts.java_version && jvm_facts.java_version < 11)
        return error_set(e, -ENOTSUP,
                         "event=alloc: Java %d cannot sample allocations; Java 11 and later can. event=cpu works here, and shows the cost "
                         "of garbage collection",
                         jvm_facts.java_version);
    if (why == JVMTI_ERROR_NOT_AVAILABLE)
        return error_set(
            e, -EBUSY, "event=alloc: another agent is sampling this JVM's allocations, and only one can at a time; stop that agent first");
    return error_set(e, -ENOTSUP, "event=alloc: this JVM refuses to sample allocations (JVMTI error %d); use event=cpu", (int)why);
}

static jvmtiError begin(uint64_t interval)
{
    jvmtiError rc = (*jvmti)->AddCapabilities(jvmti, &capability);
    if (rc)
        return rc;
    interval_before = interval_now();
    alloc_config.first_interval = (uint64_t)interval_before;
    alloc_config.shortens_gaps = jvm_facts.java_version < 17;
    rc = (*jvmti)->SetHeapSamplingInterval(jvmti, (jint)interval);
    if (!rc)
        rc = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
    if (rc) {
        (*jvmti)->SetHeapSamplingInterval(jvmti, interval_before);
        (*jvmti)->RelinquishCapabilities(jvmti, &capability);
    }
    return rc;
}

static int open_events(uint64_t interval, struct error *e)
{
    if (jvm_facts.java_version < 11)
        return refuse(JVMTI_ERROR_NOT_AVAILABLE, e);
    if (!vm_layout.usable || !vm_layout.env_offset)
        return error_set(e, -ENOTSUP,
                         "event=alloc needs to walk this JVM's stacks, but the JVM's tables do not describe them (%s); use event=safepoint",
                         vm_layout.usable ? "JavaThread::_jni_environment" : vm_layout.missing);
    if (!java_attach())
        return java_attach_refused(e);
    jvmtiError rc = begin(interval);
    is_open = !rc;
    java_detach();
    return rc ? refuse(rc, e) : 0;
}

static bool set_interval(uint64_t interval)
{
    if (!java_attach())
        return false;
    bool done = !(*jvmti)->SetHeapSamplingInterval(jvmti, (jint)interval);
    java_detach();
    return done;
}

void jvmti_alloc_close(void)
{
    if (!is_open)
        return;
    is_open = false;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
    (*jvmti)->SetHeapSamplingInterval(jvmti, interval_before);
    (*jvmti)->RelinquishCapabilities(jvmti, &capability);
}

static void close_events(void)
{
    if (!java_attach())
        return;
    jvmti_alloc_close();
    java_detach();
}

/* Returns a weak reference, which keeps no object alive, and which the JVM may clear. NULL: the JVM has no room for it. */
static jweak refer_to(JNIEnv *jni, jobject object)
{
    jweak reference = (*jni)->NewWeakGlobalRef(jni, object);
    if (!reference)
        (*jni)->ExceptionClear(jni);
    return reference;
}

void JNICALL jvmti_alloc_sampled(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jclass klass, jlong size)
{
    char *signature = NULL;
    /* Relaxed, because it only avoids needless work in a late callback. */
    if (!atomic_load_explicit(&alloc_config.on, memory_order_relaxed))
        return;
    jweak reference = alloc_wants_reference() ? refer_to(jni, object) : NULL;
    if ((*env)->GetClassSignature(env, klass, &signature, NULL))
        signature = NULL;
    struct alloc_event event = {.java_thread = (uintptr_t)jni - vm_layout.env_offset,
                                .thread_id = id_field && thread ? (*jni)->GetLongField(jni, thread, id_field) : 0,
                                .signature = signature ? signature : "",
                                .size = size > 0 ? (uint64_t)size : 0,
                                .reference = (uintptr_t)reference,
                                .collections = reference ? live_collections() : 0};
    if (!alloc_take(&event) && reference)
        (*jni)->DeleteWeakGlobalRef(jni, reference);
    (*env)->Deallocate(env, (unsigned char *)signature);
}

void jvmti_alloc_init(jvmtiEnv *env, jfieldID thread_id)
{
    jvmti = env;
    id_field = thread_id;
    alloc_events = (struct alloc_events){open_events, set_interval, close_events};
}
