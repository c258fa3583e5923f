#include "agent/entry/jvmti/jvmti_lock.h"

#include "agent/entry/jvmti/java_attach.h"
#include "agent/entry/jvmti/jvmti_events.h"
#include "agent/entry/jvmti/jvmti_mounts.h"
#include "agent/hot/calls/lock.h"
#include "agent/hot/java/virtual.h"
#include "agent/hot/layout.h"
#include "agent/record/jvm.h"
#include "agent/trigger/jvm/lock_events.h"

#include <errno.h>
#include <stdbool.h>

enum { VIRTUAL_THREADS_SINCE = 21, UNMOUNTED_MONITORS_SINCE = 24 };

static jvmtiEnv *jvmti;
static jfieldID id_field;
static bool is_open;

static const struct jvmti_events events = {{.can_generate_monitor_events = 1},
                                           JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                           JVMTI_EVENT_MONITOR_CONTENDED_ENTERED};

static void mounted(JNIEnv *jni, jthread thread, int64_t id);
static void unmounted(JNIEnv *jni, jthread thread, int64_t id);
static const struct mounts_reports reports = {mounted, unmounted};

static bool has_virtual_threads(void)
{
    return jvm_facts.java_version >= VIRTUAL_THREADS_SINCE;
}

static int open_events(struct error *e)
{
    if (!vm_layout.usable || !vm_layout.env_offset)
        return error_set(e, -ENOTSUP,
                         "event=lock needs to walk this JVM's stacks, but the JVM's tables do not describe them (%s); use event=safepoint",
                         vm_layout.usable ? "JavaThread::_jni_environment" : vm_layout.missing);
    JNIEnv *jni = java_attach();
    if (!jni)
        return java_attach_refused(e);
    jvmtiError rc = jvmti_events_on(jvmti, &events);
    is_open = !rc;
    lock_events.sees_virtual = is_open && has_virtual_threads() && jvmti_mounts_follow(jni, MOUNTS_FOR_LOCKS, &reports);
    java_detach();
    return rc ? error_set(e, -ENOTSUP, "event=lock: this JVM does not report waits for monitors (JVMTI error %d); use event=wall", (int)rc)
              : 0;
}

static void close_events(void)
{
    if (!is_open || !java_attach())
        return;
    is_open = false;
    jvmti_mounts_leave(MOUNTS_FOR_LOCKS);
    jvmti_events_off(jvmti, &events);
    java_detach();
}

/* Relaxed, because it only avoids needless work in a late callback. */
static bool is_on(void)
{
    return atomic_load_explicit(&lock_config.on, memory_order_relaxed);
}

static uintptr_t java_thread_of(JNIEnv *jni)
{
    return (uintptr_t)jni - vm_layout.env_offset;
}

/* Returns a virtual thread's own id, which differs from its carrier's. For other threads the result may be 0. */
static int64_t id_of(JNIEnv *jni, jthread thread)
{
    bool may_be_virtual = has_virtual_threads() && (!vm_layout.virtuals.usable || virtual_is_mounted(java_thread_of(jni)));
    return may_be_virtual && id_field && thread ? (*jni)->GetLongField(jni, thread, id_field) : 0;
}

/* Whether this is a virtual thread that leaves its carrier while it waits. Since Java 24 it does so, and may get another carrier, so its
 * wait is in no thread's lane. If the carrier has no slot, or no id yet, id_of alone says so: otherwise the end of a wait that began on
 * another carrier would not be noticed, and the wait would seem to go on for ever. id: from id_of. */
static bool leaves_its_carrier(int64_t id)
{
    if (!id || jvm_facts.java_version < UNMOUNTED_MONITORS_SINCE)
        return false;
    const struct sampled_thread *carrier = thread_of_java_caller();
    return carrier && carrier->java_id ? carrier->java_id != id : vm_layout.virtuals.usable;
}

void JNICALL jvmti_lock_enter(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object)
{
    if (!is_on())
        return;
    int64_t id = id_of(jni, thread);
    if (leaves_its_carrier(id))
        lock_begin_virtual(java_thread_of(jni), id, LOCK_MONITOR);
    else
        lock_begin_monitor(java_thread_of(jni));
}

static void record(jvmtiEnv *env, JNIEnv *jni, jobject object, const struct lock_wait *wait, int64_t id)
{
    char *signature = NULL;
    jclass class = (*jni)->GetObjectClass(jni, object);
    if (class && (*env)->GetClassSignature(env, class, &signature, NULL))
        signature = NULL;
    lock_record(wait, signature ? signature : "", id);
    (*env)->Deallocate(env, (unsigned char *)signature);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
}

void JNICALL jvmti_lock_entered(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object)
{
    struct lock_wait wait;
    if (!is_on())
        return;
    int64_t id = id_of(jni, thread);
    if (leaves_its_carrier(id) ? lock_end_virtual(id, LOCK_MONITOR, &wait) : lock_end_monitor(&wait))
        record(env, jni, object, &wait, id);
}

/* ---- parks of virtual threads ---- */

static void unmounted(JNIEnv *jni, jthread thread, int64_t id)
{
    if (is_on() && jvmti_mounts_doing(jni, thread) == VIRTUAL_PARKS)
        lock_begin_virtual(java_thread_of(jni), id, LOCK_PARK);
}

/* A thread that still parks could not leave its carrier. It parks on the carrier next, which is a park like any other. */
static void mounted(JNIEnv *jni, jthread thread, int64_t id)
{
    struct lock_wait wait;
    if (!is_on())
        return;
    if (jvmti_mounts_doing(jni, thread) == VIRTUAL_PARKS)
        lock_forget_virtual(id);
    else if (lock_end_virtual(id, LOCK_PARK, &wait))
        lock_record(&wait, NULL, id);
}

void jvmti_lock_init(jvmtiEnv *env, jfieldID thread_id)
{
    jvmti = env;
    id_field = thread_id;
    lock_events = (struct lock_events){.open = open_events, .close = close_events};
}
