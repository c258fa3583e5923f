#include "agent/entry/jvmti/jvmti_heap.h"

#include "agent/entry/fields/heap_fields.h"
#include "agent/entry/jvmti/java_attach.h"
#include "agent/record/names/class_name.h"
#include "agent/trigger/jvm/heap_walks.h"
#include "base/map.h"

#include <jvmti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOADERS_MAX = 4, LOCAL_REFERENCES = 32, TEXT_MAX = CLASS_NAME_BYTES_MAX + 32 };

static JavaVM *java_vm;
static jfieldID id_field;
static JNIEnv *jni; /* this and the variables below are valid from open to close */
static jvmtiEnv *jvmti;
static jclass class_class, reference_class, soft_class, thread_class;
static jclass virtual_thread_class;  /* NULL: this JVM has no virtual threads */
static jobject loaders[LOADERS_MAX]; /* the application's loader and its parents, whose classes are never unloaded */
static int loader_count;
static jobject *objects; /* references to nodes while they are inspected, indexed by node */

/* ---- how large it is ---- */

static jlong ask_runtime(jclass class, jobject runtime, const char *name)
{
    jmethodID method = (*jni)->GetMethodID(jni, class, name, "()J");
    jlong bytes = method ? (*jni)->CallLongMethod(jni, runtime, method) : 0;
    return (*jni)->ExceptionCheck(jni) ? 0 : bytes; /* -Xcheck:jni requires a check after each call */
}

static uint64_t used(void)
{
    jlong total = 0, free_bytes = 0;
    if (!(jni = java_attach()) || (*jni)->PushLocalFrame(jni, LOCAL_REFERENCES))
        return 0;
    jclass class = (*jni)->FindClass(jni, "java/lang/Runtime");
    jmethodID get = class ? (*jni)->GetStaticMethodID(jni, class, "getRuntime", "()Ljava/lang/Runtime;") : NULL;
    jobject runtime = get ? (*jni)->CallStaticObjectMethod(jni, class, get) : NULL;
    if (!(*jni)->ExceptionCheck(jni) && runtime) {
        total = ask_runtime(class, runtime, "totalMemory");
        free_bytes = ask_runtime(class, runtime, "freeMemory");
    }
    (*jni)->ExceptionClear(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    if (!jvmti) /* the heap is not open */
        java_detach();
    return total > free_bytes ? (uint64_t)(total - free_bytes) : 0;
}

/* ---- open and close ---- */

static void close_heap(void)
{
    if (jvmti)
        (*jvmti)->DisposeEnvironment(jvmti); /* frees all its tags, too */
    jvmti = NULL;
    free(objects);
    objects = NULL;
    java_detach();
    jni = NULL;
}

static bool find_classes(void)
{
    class_class = (*jni)->FindClass(jni, "java/lang/Class");
    reference_class = class_class ? (*jni)->FindClass(jni, "java/lang/ref/Reference") : NULL;
    soft_class = reference_class ? (*jni)->FindClass(jni, "java/lang/ref/SoftReference") : NULL;
    thread_class = soft_class ? (*jni)->FindClass(jni, "java/lang/Thread") : NULL;
    virtual_thread_class = thread_class ? (*jni)->FindClass(jni, "java/lang/BaseVirtualThread") : NULL;
    (*jni)->ExceptionClear(jni);
    return thread_class;
}

/* Finds the loaders whose classes are never unloaded. If a JVM does not show its loaders, the application's classes are treated like those
 * of any other loader. */
static void find_loaders(void)
{
    jclass loader = (*jni)->FindClass(jni, "java/lang/ClassLoader");
    jfieldID parent = loader ? (*jni)->GetFieldID(jni, loader, "parent", "Ljava/lang/ClassLoader;") : NULL;
    jfieldID system = parent ? (*jni)->GetStaticFieldID(jni, loader, "scl", "Ljava/lang/ClassLoader;") : NULL;
    jobject at = system ? (*jni)->GetStaticObjectField(jni, loader, system) : NULL;
    (*jni)->ExceptionClear(jni);
    for (loader_count = 0; at && loader_count < LOADERS_MAX; at = (*jni)->GetObjectField(jni, at, parent))
        loaders[loader_count++] = at;
}

static bool tag_samples(struct path_search *s, const uintptr_t *references)
{
    for (uint32_t n = 1; n <= s->samples; n++) {
        jobject object = (*jni)->NewLocalRef(jni, (jobject)references[n - 1]);
        s->nodes[n].is_gone = !object;
        if (!object)
            continue;
        jvmtiError rc = (*jvmti)->SetTag(jvmti, object, n);
        (*jni)->DeleteLocalRef(jni, object); /* otherwise this reference would itself hold the object */
        if (rc)
            return false;
    }
    return true;
}

static bool open_heap(struct path_search *s, const uintptr_t *references)
{
    const jvmtiCapabilities wanted = {.can_tag_objects = 1};
    if (!(jni = java_attach()))
        return false;
    objects = calloc(PATH_NODES_MAX + 1, sizeof *objects);
    bool good = objects && (*java_vm)->GetEnv(java_vm, (void **)&jvmti, JVMTI_VERSION_1_2) == JNI_OK && jvmti &&
                !(*jvmti)->AddCapabilities(jvmti, &wanted) && find_classes();
    if (good)
        find_loaders();
    good = good && tag_samples(s, references);
    if (!good)
        close_heap();
    return good;
}

/* ---- a walk: on the JVM's own thread, while all others stand; no JNI, no JVMTI ---- */

static enum path_root root_of(jvmtiHeapReferenceKind kind)
{
    switch (kind) {
    case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS:
        return PATH_ROOT_CLASS;
    case JVMTI_HEAP_REFERENCE_JNI_GLOBAL:
        return PATH_ROOT_JNI_GLOBAL;
    case JVMTI_HEAP_REFERENCE_THREAD:
        return PATH_ROOT_THREAD;
    case JVMTI_HEAP_REFERENCE_MONITOR:
        return PATH_ROOT_MONITOR;
    case JVMTI_HEAP_REFERENCE_STACK_LOCAL:
        return PATH_ROOT_STACK;
    case JVMTI_HEAP_REFERENCE_JNI_LOCAL:
        return PATH_ROOT_JNI_LOCAL;
    default:
        return PATH_ROOT_OTHER;
    }
}

static jlong thread_of(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info)
{
    if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL)
        return info->stack_local.thread_id;
    return kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL ? info->jni_local.thread_id : 0;
}

static enum path_kind kind_of(jvmtiHeapReferenceKind kind)
{
    switch (kind) {
    case JVMTI_HEAP_REFERENCE_FIELD:
        return PATH_FIELD;
    case JVMTI_HEAP_REFERENCE_STATIC_FIELD:
        return PATH_STATIC_FIELD;
    case JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT:
        return PATH_ELEMENT;
    case JVMTI_HEAP_REFERENCE_CLASS:
        return PATH_CLASS;
    case JVMTI_HEAP_REFERENCE_CLASS_LOADER:
        return PATH_CLASS_LOADER;
    case JVMTI_HEAP_REFERENCE_SIGNERS:
        return PATH_SIGNERS;
    case JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN:
        return PATH_PROTECTION_DOMAIN;
    case JVMTI_HEAP_REFERENCE_INTERFACE:
        return PATH_INTERFACE;
    case JVMTI_HEAP_REFERENCE_SUPERCLASS:
        return PATH_SUPERCLASS;
    case JVMTI_HEAP_REFERENCE_CONSTANT_POOL:
        return PATH_CONSTANT;
    default:
        return PATH_OTHER;
    }
}

static jint index_of(enum path_kind kind, const jvmtiHeapReferenceInfo *info)
{
    if (kind == PATH_FIELD || kind == PATH_STATIC_FIELD)
        return info->field.index;
    return kind == PATH_ELEMENT ? info->array.index : 0;
}

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag, jlong referrer_class_tag,
                                 jlong size, jlong *tag, jlong *referrer_tag, jint length, void *search)
{
    bool goes_on;
    int64_t holder = referrer_tag ? *referrer_tag : 0;
    if (!referrer_tag) {
        goes_on = path_search_root(search, root_of(kind), *tag ? thread_of(kind, info) : 0, *tag, length);
    } else {
        enum path_kind as = kind_of(kind);
        goes_on = path_search_reference(search, as, *tag ? index_of(as, info) : 0, &holder, *tag, length);
        if (holder != *referrer_tag)
            *referrer_tag = holder;
    }
    return goes_on ? JVMTI_VISIT_OBJECTS : JVMTI_VISIT_ABORT;
}

static bool walk(struct path_search *s)
{
    const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference};
    return !(*jvmti)->FollowReferences(jvmti, 0, NULL, NULL, &callbacks, s);
}

/* ---- looking at nodes ---- */

/* Puts references to the wanted nodes into `objects`, within a local frame. */
static bool hold(const struct path_search *s, bool (*is_wanted)(const struct path_search *s, uint32_t node))
{
    static jlong tags[PATH_NODES_MAX]; /* only the agent's thread uses it */
    jint wanted = 0, found = 0;
    jobject *list = NULL;
    jlong *list_tags = NULL;
    memset(objects, 0, (PATH_NODES_MAX + 1) * sizeof *objects);
    for (uint32_t n = 1; n <= s->node_count; n++)
        if (is_wanted(s, n))
            tags[wanted++] = n;
    if ((*jni)->PushLocalFrame(jni, wanted + LOCAL_REFERENCES)) {
        (*jni)->ExceptionClear(jni);
        return false;
    }
    if (wanted && (*jvmti)->GetObjectsWithTags(jvmti, wanted, tags, &found, &list, &list_tags)) {
        (*jni)->PopLocalFrame(jni, NULL);
        return false;
    }
    for (jint i = 0; i < found; i++)
        objects[list_tags[i]] = list[i];
    (*jvmti)->Deallocate(jvmti, (unsigned char *)list);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)list_tags);
    return true;
}

static void let_go(void)
{
    (*jni)->PopLocalFrame(jni, NULL);
}

static bool is_a(jobject object, jclass class)
{
    return object && (*jni)->IsInstanceOf(jni, object, class);
}

/* Whether the class belongs to the boot loader, or to another loader that lives as long as the JVM. */
static bool stays(jobject class)
{
    jobject loader = NULL;
    if ((*jvmti)->GetClassLoader(jvmti, class, &loader))
        return false;
    bool found = !loader;
    for (int i = 0; i < loader_count && !found; i++)
        found = (*jni)->IsSameObject(jni, loader, loaders[i]);
    if (loader)
        (*jni)->DeleteLocalRef(jni, loader);
    return found;
}

static bool find_field(jobject holder, const struct path_edge *e, struct heap_field *out)
{
    jclass class = e->kind == PATH_STATIC_FIELD ? (jclass)holder : (*jni)->GetObjectClass(jni, holder);
    bool found = heap_field_find(jvmti, jni, class, e->index, reference_class, out);
    if (class != holder)
        (*jni)->DeleteLocalRef(jni, class);
    return found;
}

/* Whether the edge is the reference of a weak or a phantom reference object, which holds nothing. A soft reference counts as a holder,
 * because it holds its object as long as there is memory. */
static bool holds_nothing(const struct path_edge *e)
{
    struct heap_field field;
    jobject holder = objects[e->holder];
    return e->kind == PATH_FIELD && is_a(holder, reference_class) && !is_a(holder, soft_class) && find_field(holder, e, &field) &&
           field.is_of_reference && !strcmp(field.name, "referent");
}

/* Returns a hash of a class's name, to find classes of other loaders that have equal names. */
static uint64_t sign(jclass class)
{
    char *signature = NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
        return 0;
    uint64_t hash = hash_bytes(signature, strlen(signature)) | 1;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return hash;
}

/* Anchors classes that exist once. A static field of a class in an application server counts as a holder, like a field of one of the
 * application's own classes. But if several copies of a class exist, their loaders were not unloaded, and the search must find what holds
 * them. */
static void anchor_single_classes(struct path_search *s)
{
    for (uint32_t n = s->first_new; n <= s->node_count; n++) {
        uint32_t count = 0;
        for (uint32_t other = 1; s->nodes[n].signature && other <= s->node_count; other++)
            count += s->nodes[other].signature == s->nodes[n].signature;
        if (count == 1)
            path_search_anchor(s, n, PATH_ROOT_CLASS);
    }
}

/* Selects every node, because a node that was known before may hold one that was found now. */
static bool is_any(const struct path_search *s, uint32_t node)
{
    return !s->nodes[node].is_gone;
}

/* Whether the object is a live platform thread. A virtual thread is treated like any other object. */
static bool is_live_thread(jobject object)
{
    jint state = 0;
    return is_a(object, thread_class) && !(virtual_thread_class && is_a(object, virtual_thread_class)) &&
           !(*jvmti)->GetThreadState(jvmti, object, &state) && state & JVMTI_THREAD_STATE_ALIVE;
}

static void classify_node(struct path_search *s, uint32_t n)
{
    if (is_live_thread(objects[n]))
        path_search_anchor(s, n, PATH_ROOT_THREAD);
    else if (is_a(objects[n], class_class) && stays(objects[n]))
        path_search_anchor(s, n, PATH_ROOT_CLASS);
    else if (is_a(objects[n], class_class))
        s->nodes[n].signature = sign((jclass)objects[n]);
}

static bool classify(struct path_search *s)
{
    if (!hold(s, is_any))
        return false;
    for (uint32_t e = s->first_new_edge; e <= s->edge_count; e++)
        if (holds_nothing(&s->edges[e]))
            path_search_drop(s, e);
    for (uint32_t n = s->first_new; n <= s->node_count; n++)
        classify_node(s, n);
    let_go();
    anchor_single_classes(s);
    return true;
}

/* ---- names ---- */

static uint32_t name_class(struct strtab *strings, jclass class)
{
    char *signature = NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
        return 0;
    uint32_t symbol = class_name_symbol(strings, (const uint64_t *)(const void *)signature, CLASS_NAME_BYTES_MAX / 8);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return symbol;
}

static uint32_t describe(struct strtab *strings, const char *what, const char *name)
{
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "%s: %s", what, name);
    return strtab_add_text(strings, text);
}

/* Returns the symbol of a thread's description; 0 if the JVM does not describe the thread, because it is virtual or has ended. */
static uint32_t describe_thread(struct strtab *strings, jobject thread)
{
    jvmtiThreadInfo info = {0};
    uint32_t symbol = 0;
    if ((*jvmti)->GetThreadInfo(jvmti, thread, &info))
        return 0;
    if (info.name)
        symbol = describe(strings, "Thread Name", info.name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
    if (info.thread_group)
        (*jni)->DeleteLocalRef(jni, info.thread_group);
    if (info.context_class_loader)
        (*jni)->DeleteLocalRef(jni, info.context_class_loader);
    return symbol;
}

static void name_node(struct path_node *n, jobject object, struct strtab *strings)
{
    jclass class = (*jni)->GetObjectClass(jni, object);
    n->class_name = name_class(strings, class);
    (*jni)->DeleteLocalRef(jni, class);
    if (is_a(object, class_class))
        n->description = describe(strings, "Class Name", strtab_text(strings, name_class(strings, (jclass)object)));
    else if (is_a(object, thread_class))
        n->description = describe_thread(strings, object);
    if (n->root == PATH_ROOT_THREAD)
        n->root_description = n->description;
}

static void name_edge(struct path_edge *e, struct strtab *strings)
{
    static const char *const names[PATH_KINDS] = {
        [PATH_CLASS] = "<class>",         [PATH_CLASS_LOADER] = "<class loader>",
        [PATH_SIGNERS] = "<signers>",     [PATH_PROTECTION_DOMAIN] = "<protection domain>",
        [PATH_INTERFACE] = "<interface>", [PATH_SUPERCLASS] = "<superclass>",
        [PATH_CONSTANT] = "<constant>",   [PATH_OTHER] = "<other>",
        [PATH_FIELD] = "<field>",         [PATH_STATIC_FIELD] = "<field>",
    };
    struct heap_field field;
    bool is_field = e->kind == PATH_FIELD || e->kind == PATH_STATIC_FIELD;
    e->is_static = e->kind == PATH_STATIC_FIELD;
    if (e->kind == PATH_ELEMENT)
        return;
    if (is_field && objects[e->holder] && find_field(objects[e->holder], e, &field))
        e->field_name = strtab_add_text(strings, field.name);
    else
        e->field_name = strtab_add_text(strings, names[e->kind]);
}

static bool is_of_thread(const struct path_node *n)
{
    return n->is_on_path && (n->root == PATH_ROOT_STACK || n->root == PATH_ROOT_JNI_LOCAL);
}

/* Names the threads to whose stacks the roots belong, by the threads' ids. */
static void name_stacks(struct path_search *s, struct strtab *strings)
{
    jint count = 0;
    jthread *threads = NULL;
    if (!id_field || (*jvmti)->GetAllThreads(jvmti, &count, &threads))
        return;
    for (jint i = 0; i < count; i++) {
        jlong id = (*jni)->GetLongField(jni, threads[i], id_field);
        for (uint32_t n = 1; n <= s->node_count; n++)
            if (is_of_thread(&s->nodes[n]) && s->nodes[n].thread == id)
                s->nodes[n].root_description = describe_thread(strings, threads[i]);
        (*jni)->DeleteLocalRef(jni, threads[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
}

static bool is_on_path(const struct path_search *s, uint32_t node)
{
    return s->nodes[node].is_on_path;
}

static void name(struct path_search *s, struct strtab *strings)
{
    if (!hold(s, is_on_path))
        return;
    for (uint32_t n = 1; n <= s->node_count; n++)
        if (objects[n])
            name_node(&s->nodes[n], objects[n], strings);
    for (uint32_t e = 1; e <= s->edge_count; e++)
        if (s->edges[e].is_on_path)
            name_edge(&s->edges[e], strings);
    let_go();
    name_stacks(s, strings);
}

void jvmti_heap_init(JavaVM *vm, jfieldID thread_id)
{
    java_vm = vm;
    id_field = thread_id;
    heap_walks = (struct heap_walks){used, open_heap, walk, classify, name, close_heap};
}
