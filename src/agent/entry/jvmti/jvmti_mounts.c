#include "agent/entry/jvmti/jvmti_mounts.h"

#include "agent/context/owners.h"
#include "agent/context/records.h"

#include <jvmti.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* Bit 44 of the capabilities, can_support_virtual_threads, has no name in headers before JDK 21. */
enum { SUPPORT_BYTE = 44 / 8, SUPPORT_BIT = 1 << 44 % 8 };

enum { NOT_TRIED, WATCHED, REFUSED };

/* A separate environment, so that its capability and its events do not affect other code. */
static jvmtiEnv *jvmti;
static jfieldID thread_id; /* of java.lang.Thread */
static _Atomic int state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Called on the carrier, which JVMTI already reports as the virtual thread. JVMTI could store a record with the thread, but storing it here
 * would delay the mounts of all threads. */
static void JNICALL mounted(jvmtiEnv *env, ...)
{
    va_list arguments;
    va_start(arguments, env);
    JNIEnv *jni = va_arg(arguments, JNIEnv *);
    jthread thread = va_arg(arguments, jthread);
    va_end(arguments);
    records_point(records_address(owners_find((uint64_t)(*jni)->GetLongField(jni, thread, thread_id))));
}

static void JNICALL unmounted(jvmtiEnv *env, ...)
{
    records_point(0);
}

static void free_event(jvmtiExtensionEventInfo *event)
{
    for (jint i = 0; i < event->param_count; i++)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)event->params[i].name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->params);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->id);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->short_description);
}

static bool listen(jint event, jvmtiExtensionEvent callback)
{
    return !(*jvmti)->SetExtensionEventCallback(jvmti, event, callback) &&
           !(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, (jvmtiEvent)event, NULL);
}

/* Enables unmounts first, so that the end of each reported mount is reported, too. */
static bool listen_to_both(void)
{
    jint count = 0, mount = 0, unmount = 0;
    bool has_mount = false, has_unmount = false;
    jvmtiExtensionEventInfo *events = NULL;
    if ((*jvmti)->GetExtensionEvents(jvmti, &count, &events))
        return false;
    for (jint i = 0; i < count; i++) {
        if (!strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadMount")) {
            mount = events[i].extension_event_index;
            has_mount = true;
        } else if (!strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadUnmount")) {
            unmount = events[i].extension_event_index;
            has_unmount = true;
        }
        free_event(&events[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)events);
    return has_mount && has_unmount && listen(unmount, unmounted) && listen(mount, mounted);
}

static void want_virtual_threads(void)
{
    jvmtiCapabilities potential = {0}, wanted = {0};
    if ((*jvmti)->GetPotentialCapabilities(jvmti, &potential) || !(((const unsigned char *)&potential)[SUPPORT_BYTE] & SUPPORT_BIT))
        return;
    ((unsigned char *)&wanted)[SUPPORT_BYTE] |= SUPPORT_BIT;
    (*jvmti)->AddCapabilities(jvmti, &wanted);
}

static bool find_thread_id(JNIEnv *jni)
{
    jclass thread = (*jni)->FindClass(jni, "java/lang/Thread");
    thread_id = thread ? (*jni)->GetFieldID(jni, thread, "tid", "J") : NULL;
    (*jni)->ExceptionClear(jni);
    if (thread)
        (*jni)->DeleteLocalRef(jni, thread);
    return thread_id;
}

static bool watch(JNIEnv *jni)
{
    JavaVM *vm;
    if (!find_thread_id(jni))
        return false;
    if ((*jni)->GetJavaVM(jni, &vm) || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return false;
    want_virtual_threads();
    if (listen_to_both())
        return true;
    (*jvmti)->DisposeEnvironment(jvmti);
    return false;
}

bool jvmti_mounts_watch(JNIEnv *jni)
{
    int now = atomic_load(&state);
    if (now == NOT_TRIED) {
        pthread_mutex_lock(&lock);
        if (atomic_load(&state) == NOT_TRIED)
            atomic_store(&state, watch(jni) ? WATCHED : REFUSED);
        now = atomic_load(&state);
        pthread_mutex_unlock(&lock);
    }
    return now == WATCHED;
}
