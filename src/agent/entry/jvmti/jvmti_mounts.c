#include "agent/entry/jvmti/jvmti_mounts.h"

#include <jvmti.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* Bit 44 of the capabilities, can_support_virtual_threads, has no name in headers before JDK 21. */
enum { SUPPORT_BYTE = 44 / 8, SUPPORT_BIT = 1 << 44 % 8 };

enum { NOT_TRIED, READY, REFUSED };

/* A separate environment, so that its capability and its events do not affect other code. */
static jvmtiEnv *jvmti;
static jfieldID thread_id; /* of java.lang.Thread */
static jint mount_event, unmount_event;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for the next two, and for changes of the events */
static int state;
static const struct mounts_reports *_Atomic followers[MOUNTS_FOLLOWERS];

/* ---- reports ---- */

static void report(JNIEnv *jni, jthread thread, bool is_mounted)
{
    int64_t id = (*jni)->GetLongField(jni, thread, thread_id);
    for (int i = 0; i < MOUNTS_FOLLOWERS; i++) {
        /* Acquire: pairs with the store in jvmti_mounts_follow. */
        const struct mounts_reports *r = atomic_load_explicit(&followers[is_mounted ? i : MOUNTS_FOLLOWERS - 1 - i], memory_order_acquire);
        if (r)
            (is_mounted ? r->mounted : r->unmounted)(jni, thread, id);
    }
}

static void JNICALL mounted(jvmtiEnv *env, ...)
{
    va_list arguments;
    va_start(arguments, env);
    JNIEnv *jni = va_arg(arguments, JNIEnv *);
    jthread thread = va_arg(arguments, jthread);
    va_end(arguments);
    report(jni, thread, true);
}

static void JNICALL unmounted(jvmtiEnv *env, ...)
{
    va_list arguments;
    va_start(arguments, env);
    JNIEnv *jni = va_arg(arguments, JNIEnv *);
    jthread thread = va_arg(arguments, jthread);
    va_end(arguments);
    report(jni, thread, false);
}

/* ---- the thread's own state ---- */

/* The field of java.lang.VirtualThread, and its values. They are read once, in the first report, because by then the class is certainly
 * initialized; several threads may do it at once, with the same result. */
static struct {
    _Atomic bool known;
    _Atomic(jfieldID) field;
    _Atomic jint parking, timed_parking, yielding, suspended; /* suspended: a bit beside the state; 0 = there is none */
} states = {.parking = -1, .timed_parking = -1, .yielding = -1};

static void note_field(JNIEnv *jni, jclass class, jfieldID field, const char *name)
{
    static const struct {
        const char *name;
        _Atomic jint *value;
    } values[] = {{"PARKING", &states.parking},
                  {"TIMED_PARKING", &states.timed_parking},
                  {"YIELDING", &states.yielding},
                  {"SUSPENDED", &states.suspended}};
    jint modifiers = 0;
    const jint is_static = 8; /* as in class files */
    (*jvmti)->GetFieldModifiers(jvmti, class, field, &modifiers);
    if (!(modifiers & is_static) && !strcmp(name, "state"))
        atomic_store(&states.field, field);
    for (size_t i = 0; modifiers & is_static && i < sizeof values / sizeof *values; i++)
        if (!strcmp(name, values[i].name))
            atomic_store(values[i].value, (*jni)->GetStaticIntField(jni, class, field));
}

static void find_states(JNIEnv *jni, jthread thread)
{
    jint count = 0;
    jfieldID *fields = NULL;
    jclass class = (*jni)->GetObjectClass(jni, thread);
    if (!(*jvmti)->GetClassFields(jvmti, class, &count, &fields))
        for (jint i = 0; i < count; i++) {
            char *name = NULL, *descriptor = NULL;
            if (!(*jvmti)->GetFieldName(jvmti, class, fields[i], &name, &descriptor, NULL) && !strcmp(descriptor, "I"))
                note_field(jni, class, fields[i], name);
            (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
            (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
        }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)fields);
    (*jni)->DeleteLocalRef(jni, class);
    /* Release: pairs with the acquire of a thread that uses the values. */
    atomic_store_explicit(&states.known, true, memory_order_release);
}

enum virtual_doing jvmti_mounts_doing(JNIEnv *jni, jthread thread)
{
    if (!atomic_load_explicit(&states.known, memory_order_acquire))
        find_states(jni, thread);
    jfieldID field = atomic_load_explicit(&states.field, memory_order_relaxed);
    jint now = field ? (*jni)->GetIntField(jni, thread, field) & ~atomic_load_explicit(&states.suspended, memory_order_relaxed) : -1;
    if (now < 0)
        return VIRTUAL_RUNS;
    if (now == atomic_load_explicit(&states.parking, memory_order_relaxed) ||
        now == atomic_load_explicit(&states.timed_parking, memory_order_relaxed))
        return VIRTUAL_PARKS;
    return now == atomic_load_explicit(&states.yielding, memory_order_relaxed) ? VIRTUAL_YIELDS : VIRTUAL_RUNS;
}

/* ---- the events ---- */

static void free_event(jvmtiExtensionEventInfo *event)
{
    for (jint i = 0; i < event->param_count; i++)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)event->params[i].name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->params);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->id);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->short_description);
}

static bool find_events(void)
{
    jint count = 0;
    bool has_mount = false, has_unmount = false;
    jvmtiExtensionEventInfo *events = NULL;
    if ((*jvmti)->GetExtensionEvents(jvmti, &count, &events))
        return false;
    for (jint i = 0; i < count; i++) {
        if (!strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadMount")) {
            mount_event = events[i].extension_event_index;
            has_mount = true;
        } else if (!strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadUnmount")) {
            unmount_event = events[i].extension_event_index;
            has_unmount = true;
        }
        free_event(&events[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)events);
    return has_mount && has_unmount && !(*jvmti)->SetExtensionEventCallback(jvmti, unmount_event, unmounted) &&
           !(*jvmti)->SetExtensionEventCallback(jvmti, mount_event, mounted);
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

static bool prepare(JNIEnv *jni)
{
    JavaVM *vm;
    if (!find_thread_id(jni))
        return false;
    if ((*jni)->GetJavaVM(jni, &vm) || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return false;
    want_virtual_threads();
    if (find_events())
        return true;
    (*jvmti)->DisposeEnvironment(jvmti);
    return false;
}

static bool is_followed(void)
{
    for (int i = 0; i < MOUNTS_FOLLOWERS; i++)
        if (atomic_load(&followers[i]))
            return true;
    return false;
}

static bool enable(jint event, jvmtiEventMode mode)
{
    return !(*jvmti)->SetEventNotificationMode(jvmti, mode, (jvmtiEvent)event, NULL);
}

/* Enables unmounts first, so that the end of each reported mount is reported, too. */
static bool follow(enum mounts_follower who, const struct mounts_reports *reports)
{
    bool is_first = !is_followed();
    atomic_store(&followers[who], reports);
    if (!is_first || (enable(unmount_event, JVMTI_ENABLE) && enable(mount_event, JVMTI_ENABLE)))
        return true;
    atomic_store(&followers[who], NULL);
    enable(unmount_event, JVMTI_DISABLE);
    return false;
}

bool jvmti_mounts_follow(JNIEnv *jni, enum mounts_follower who, const struct mounts_reports *reports)
{
    if (atomic_load(&followers[who]))
        return true;
    pthread_mutex_lock(&lock);
    if (state == NOT_TRIED)
        state = prepare(jni) ? READY : REFUSED;
    bool follows = state == READY && follow(who, reports);
    pthread_mutex_unlock(&lock);
    return follows;
}

void jvmti_mounts_leave(enum mounts_follower who)
{
    pthread_mutex_lock(&lock);
    bool did_follow = atomic_exchange(&followers[who], NULL);
    if (did_follow && !is_followed()) {
        enable(mount_event, JVMTI_DISABLE);
        enable(unmount_event, JVMTI_DISABLE);
    }
    pthread_mutex_unlock(&lock);
}
