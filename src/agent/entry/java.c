#include "agent/entry/java.h"

#include "agent/entry/fields/lock_fields.h"
#include "agent/entry/fields/virtual_fields.h"
#include "agent/entry/jvmti/java_attach.h"
#include "agent/entry/jvmti/jvmti_alloc.h"
#include "agent/entry/jvmti/jvmti_collections.h"
#include "agent/entry/jvmti/jvmti_heal.h"
#include "agent/entry/jvmti/jvmti_heap.h"
#include "agent/entry/jvmti/jvmti_live.h"
#include "agent/entry/jvmti/jvmti_lock.h"
#include "agent/entry/jvmti/jvmti_pauses.h"
#include "agent/entry/jvmti/jvmti_stacks.h"
#include "agent/entry/jvmti/jvmti_unmounts.h"
#include "agent/hot/fault/fault.h"
#include "agent/hot/fault/visit.h"
#include "agent/hot/java/method.h"
#include "agent/hot/layout.h"
#include "agent/hot/walk/agct.h"
#include "agent/hot/walk/walk.h"
#include "agent/hot/walk/work.h"
#include "agent/hotspot/collections.h"
#include "agent/hotspot/counters.h"
#include "agent/hotspot/flags.h"
#include "agent/hotspot/layout.h"
#include "agent/hotspot/virtuals.h"
#include "agent/record/jvm.h"
#include "agent/symbolize/native.h"
#include "agent/trigger/threads.h"
#include "base/text/number.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

enum { JAVA_THREAD_BYTES_MAX = 1 << 16 };

static JavaVM *java_vm;
static jvmtiEnv *jvmti;
static jvmtiEventCallbacks callbacks;
static jfieldID thread_eetop, thread_id;
static void (*on_ready)(JNIEnv *);
static void (*on_ending)(void);

static void *thread_env(void)
{
    void *jni = NULL;
    return (*java_vm)->GetEnv(java_vm, &jni, JNI_VERSION_1_6) == JNI_OK ? jni : NULL;
}

static void enable(jvmtiEvent event, bool on)
{
    (*jvmti)->SetEventNotificationMode(jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE, event, NULL);
}

static void find_fields(JNIEnv *jni)
{
    if (thread_eetop)
        return;
    jclass thread = (*jni)->FindClass(jni, "java/lang/Thread");
    jfieldID eetop = thread ? (*jni)->GetFieldID(jni, thread, "eetop", "J") : NULL;
    jfieldID id = eetop ? (*jni)->GetFieldID(jni, thread, "tid", "J") : NULL;
    if ((*jni)->ExceptionCheck(jni))
        (*jni)->ExceptionClear(jni);
    if (thread)
        (*jni)->DeleteLocalRef(jni, thread);
    thread_id = id;
    thread_eetop = id ? eetop : NULL;
}

static void describe_thread(JNIEnv *jni, jthread thread, uintptr_t *java_thread, jlong *id, char **name)
{
    jvmtiThreadInfo info = {0};
    *java_thread = thread_eetop ? (uintptr_t)(*jni)->GetLongField(jni, thread, thread_eetop) : 0;
    *id = thread_id ? (*jni)->GetLongField(jni, thread, thread_id) : 0;
    *name = NULL;
    if ((*jvmti)->GetThreadInfo(jvmti, thread, &info))
        return;
    *name = info.name;
    if (info.thread_group)
        (*jni)->DeleteLocalRef(jni, info.thread_group);
    if (info.context_class_loader)
        (*jni)->DeleteLocalRef(jni, info.context_class_loader);
}

/* The arguments of a callback, for its visit (hot/fault/visit.h). */
struct call {
    JNIEnv *jni;
    jthread thread;
    const char *name;
    const void *address;
    jint length;
};

/* Makes a visit, but does nothing after a fault in the agent itself. */
static void visit_unless_faulted(void (*work)(void *), struct call *call)
{
    if (!turn_has_faulted())
        visit(work, call);
}

static void begin_thread(void *argument)
{
    const struct call *c = argument;
    uintptr_t java_thread;
    jlong id;
    char *name;
    describe_thread(c->jni, c->thread, &java_thread, &id, &name);
    threads_java_begin(java_thread, id, name ? name : "");
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
}

static void end_thread(void *unused)
{
    threads_java_end();
}

static void note_stub(void *argument)
{
    const struct call *c = argument;
    native_add_stub(c->name, (uintptr_t)c->address, (size_t)c->length);
    virtuals_note_stub(c->name, (uintptr_t)c->address, (size_t)c->length);
}

static void JNICALL thread_start(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    visit_unless_faulted(begin_thread, &(struct call){.jni = jni, .thread = thread});
}

static void JNICALL thread_end(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    visit_unless_faulted(end_thread, NULL);
}

static void JNICALL dynamic_code_generated(jvmtiEnv *env, const char *name, const void *address, jint length)
{
    visit_unless_faulted(note_stub, &(struct call){.name = name, .address = address, .length = length});
}

/* Creates the jmethodIDs of a class when it is prepared, because AsyncGetCallTrace cannot create them itself. */
static void JNICALL class_prepare(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass class)
{
    jint count;
    jmethodID *methods;
    if (!(*env)->GetClassMethods(env, class, &count, &methods))
        (*env)->Deallocate(env, (unsigned char *)methods);
}

static void JNICALL class_load(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass class)
{
    /* Does nothing: AsyncGetCallTrace refuses to work if no agent listens for this event. */
}

static void prepare_agct(void)
{
    jint count = 0;
    jclass *classes = NULL;
    JNIEnv *jni = java_attach();
    if (!jni)
        return;
    enable(JVMTI_EVENT_CLASS_LOAD, true);
    enable(JVMTI_EVENT_CLASS_PREPARE, true);
    (*jvmti)->GetLoadedClasses(jvmti, &count, &classes);
    for (jint i = 0; i < count; i++) {
        class_prepare(jvmti, jni, NULL, classes[i]);
        (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    java_detach();
}

/* Names a method. "Ljava/util/Map;" is the signature of the class java/util/Map. */
static void name_method(uint32_t id)
{
    jmethodID method = (jmethodID)method_id_of(id);
    char *name = NULL, *descriptor = NULL, *class_name = NULL;
    jclass class = NULL;
    JNIEnv *jni = java_attach();
    if (!jni)
        return;
    if (!(*jvmti)->GetMethodName(jvmti, method, &name, &descriptor, NULL) && !(*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) &&
        !(*jvmti)->GetClassSignature(jvmti, class, &class_name, NULL)) {
        size_t length = strlen(class_name);
        if (length > 2 && class_name[length - 1] == ';')
            class_name[length - 1] = 0;
        method_name(id, class_name + (class_name[0] == 'L'), name, descriptor);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)class_name);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    java_detach();
}

static void JNICALL vm_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    if (on_ready)
        on_ready(jni);
}

static void bind_all(void *argument)
{
    const struct call *c = argument;
    java_bind_threads(c->jni);
}

static void JNICALL vm_death(jvmtiEnv *env, JNIEnv *jni)
{
    visit_unless_faulted(bind_all, &(struct call){.jni = jni});
    if (on_ending)
        on_ending();
}

int java_open(JavaVM *vm, struct error *e)
{
    if (jvmti)
        return 0;
    java_vm = vm;
    java_attach_init(vm);
    jint offer = (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2);
    if (offer == JNI_EDETACHED)
        return error_set(e, -EAGAIN, "this JVM is still starting");
    if (offer != JNI_OK || !jvmti)
        return error_set(e, -ENOTSUP, "this JVM offers no JVMTI environment");
    callbacks.VMInit = vm_init;
    callbacks.VMDeath = vm_death;
    callbacks.ThreadStart = thread_start;
    callbacks.ThreadEnd = thread_end;
    callbacks.DynamicCodeGenerated = dynamic_code_generated;
    callbacks.ClassLoad = class_load;
    callbacks.ClassPrepare = class_prepare;
    callbacks.SampledObjectAlloc = jvmti_alloc_sampled;
    callbacks.GarbageCollectionStart = jvmti_collections_started;
    callbacks.GarbageCollectionFinish = jvmti_collections_finished;
    callbacks.MonitorContendedEnter = jvmti_lock_enter;
    callbacks.MonitorContendedEntered = jvmti_lock_entered;
    if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks)) {
        jvmti = NULL;
        return error_set(e, -ENOTSUP, "this JVM refuses JVMTI event callbacks");
    }
    enable(JVMTI_EVENT_VM_DEATH, true);
    return 0;
}

void java_on_life(void (*ready)(JNIEnv *), void (*ending)(void))
{
    on_ready = ready;
    on_ending = ending;
    if (ready)
        enable(JVMTI_EVENT_VM_INIT, true);
}

/* Returns a handle on the JVM's library, which stays loaded anyway; NULL if it cannot be found. */
static void *open_libjvm(void)
{
    Dl_info info;
    return dladdr((void *)(uintptr_t)(*java_vm)->GetEnv, &info) ? dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY) : NULL;
}

void java_want_debug_info(bool late)
{
    static const char flag[] = "DebugNonSafepoints";
    static bool wanted;
    void *libjvm = open_libjvm();
    if (!libjvm)
        return;
    /* Another agent may have turned it on, at an unknown time. */
    if (!wanted)
        jvm_facts.debug_info_is_late = late && !flags_operator_turned_on(libjvm, flag);
    wanted = true;
    flags_turn_on(libjvm, flag);
    dlclose(libjvm);
}

static void read_properties(void)
{
    jint count = 0;
    char **keys = NULL;
    if (jvm_facts.property_count || (*jvmti)->GetSystemProperties(jvmti, &count, &keys))
        return;
    for (jint i = 0; i < count; i++) {
        char *value = NULL;
        if (!(*jvmti)->GetSystemProperty(jvmti, keys[i], &value))
            jvm_add_property(keys[i], value);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)value);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)keys[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)keys);
}

/* Returns the feature version, for texts such as "1.8" and "17". */
static int java_version(void)
{
    const char *text = jvm_property("java.vm.specification.version");
    int major = (int)number_or_zero(text);
    return major == 1 && text[1] == '.' ? (int)number_or_zero(text + 2) : major;
}

static void read_layout(JNIEnv *jni)
{
    void *libjvm = open_libjvm();
    native_library_bounds((uintptr_t)(*java_vm)->GetEnv, &walk_libjvm_low, &walk_libjvm_high);
    if (!libjvm)
        return;
    layout_fill(libjvm, jvm_facts.java_version);
    counters_find(libjvm);
    collections_fill(libjvm);
    if (jvm_facts.java_version >= 21)
        virtual_fields_read(jni, libjvm);
    lock_fields_read(jni, libjvm);
    *(void **)&agct.function = dlsym(libjvm, "AsyncGetCallTrace");
    agct.prepare = prepare_agct;
    agct.name_method = name_method;
    work_thread_env = thread_env;
    dlclose(libjvm);
}

/* Finds the offset of a JNIEnv, which is a part of its thread's structure, at the same place for all threads. */
static void find_env_offset(JNIEnv *jni)
{
    jthread current = NULL;
    if (!thread_eetop || (*jvmti)->GetCurrentThread(jvmti, &current) || !current)
        return;
    uintptr_t java_thread = (uintptr_t)(*jni)->GetLongField(jni, current, thread_eetop), env = (uintptr_t)jni;
    if (java_thread && env > java_thread && env - java_thread < JAVA_THREAD_BYTES_MAX)
        vm_layout.env_offset = (uint32_t)(env - java_thread);
    (*jni)->DeleteLocalRef(jni, current);
}

void java_describe(JNIEnv *jni)
{
    find_fields(jni);
    jvmti_stacks_init(jvmti, thread_id, thread_eetop);
    jvmti_alloc_init(jvmti, thread_id);
    jvmti_collections_init(jvmti);
    jvmti_live_init();
    jvmti_heal_init(jvmti);
    jvmti_heap_init(java_vm, thread_id);
    jvmti_pauses_init();
    jvmti_lock_init(jvmti, thread_id);
    jvmti_unmounts_init();
    read_properties();
    if (!jvm_facts.jvm_arguments)
        jvm_fill();
    jvm_facts.java_version = java_version();
    read_layout(jni);
    find_env_offset(jni);
}

static void bind_one(JNIEnv *jni, jthread thread)
{
    uintptr_t java_thread;
    int tid;
    jlong id;
    char *name;
    describe_thread(jni, thread, &java_thread, &id, &name);
    /* A thread that ends meanwhile sets its eetop to 0 before its structures are freed. */
    bool found = java_thread && vm_layout.usable && threads_find_java(java_thread, &tid);
    if (found && (uintptr_t)(*jni)->GetLongField(jni, thread, thread_eetop) == java_thread)
        threads_bind_java(tid, java_thread, id, name ? name : "");
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
}

void java_bind_threads(JNIEnv *jni)
{
    jint count = 0;
    jthread *threads = NULL;
    if (!threads_running() || (*jvmti)->GetAllThreads(jvmti, &count, &threads))
        return;
    for (jint i = 0; i < count; i++) {
        bind_one(jni, threads[i]);
        (*jni)->DeleteLocalRef(jni, threads[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
}

static void session_begin(void)
{
    fault_hold(); /* callbacks may come from now on */
    JNIEnv *jni = java_attach();
    if (!jni)
        return;
    enable(JVMTI_EVENT_DYNAMIC_CODE_GENERATED, true);
    (*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
    enable(JVMTI_EVENT_THREAD_START, true);
    enable(JVMTI_EVENT_THREAD_END, true);
    java_detach();
}

static void bind_threads(void)
{
    JNIEnv *jni = java_attach();
    if (!jni)
        return;
    java_bind_threads(jni);
    java_detach();
}

static void end_events(void)
{
    JNIEnv *jni = java_attach();
    if (!jni)
        return;
    jvmti_alloc_close();
    jvmti_pauses_close();
    enable(JVMTI_EVENT_THREAD_START, false);
    enable(JVMTI_EVENT_THREAD_END, false);
    enable(JVMTI_EVENT_DYNAMIC_CODE_GENERATED, false);
    enable(JVMTI_EVENT_CLASS_PREPARE, false);
    enable(JVMTI_EVENT_CLASS_LOAD, false);
    java_detach();
}

static void session_end(void)
{
    end_events();
    fault_let_go();
}

const struct hooks java_hooks = {session_begin, bind_threads, session_end};
