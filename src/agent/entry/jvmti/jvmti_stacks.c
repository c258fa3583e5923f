#include "agent/entry/jvmti/jvmti_stacks.h"

#include "agent/entry/jvmti/java_attach.h"
#include "agent/hot/context.h"
#include "agent/trigger/jvm/java_stacks.h"
#include "agent/trigger/tasks/subset.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LOCAL_REFERENCES = 1 << 14, LINES_MAX = 8192, CLASS_NAME_MAX = 1024 };

static jvmtiEnv *jvmti;
static jfieldID id_field, eetop_field;
static JNIEnv *jni; /* for the agent's thread, from open to close */
static jobject self;
static jvmtiStackInfo *taken;
static struct java_frame frames[JAVA_STACK_FRAMES_MAX];
static struct context_words contexts[JAVA_STACKS_MAX]; /* of the chosen threads */
static bool changes[JAVA_STACKS_MAX];                  /* they changed all the time */

static void set_lines_capability(bool wanted)
{
    jvmtiCapabilities lines = {.can_get_line_numbers = 1};
    if (wanted)
        (*jvmti)->AddCapabilities(jvmti, &lines); /* if this is refused, lines are unknown, and are shown as such */
    else
        (*jvmti)->RelinquishCapabilities(jvmti, &lines);
}

static int open_stacks(struct error *e)
{
    jthread current = NULL;
    jni = java_attach();
    if (!jni)
        return java_attach_refused(e);
    if (!(*jvmti)->GetCurrentThread(jvmti, &current) && current)
        self = (*jni)->NewGlobalRef(jni, current);
    if (current)
        (*jni)->DeleteLocalRef(jni, current);
    if (self) {
        set_lines_capability(true);
        return 0;
    }
    java_detach();
    jni = NULL;
    return error_set(e, -ENOTSUP, "this JVM does not identify the agent's own thread; use event=cpu");
}

static void close_stacks(void)
{
    set_lines_capability(false);
    (*jni)->DeleteGlobalRef(jni, self);
    self = NULL;
    java_detach();
    jni = NULL;
}

static void release(void)
{
    (*jvmti)->Deallocate(jvmti, (unsigned char *)taken);
    taken = NULL;
    (*jni)->PopLocalFrame(jni, NULL);
}

/* Lists all Java threads except this one. The caller deallocates the list. Returns how many there are, or a negative errno. */
static int list_threads(jthread **out)
{
    jint count = 0;
    if ((*jvmti)->GetAllThreads(jvmti, &count, out))
        return -EIO;
    jthread *list = *out;
    for (jint i = 0; i < count; i++)
        if ((*jni)->IsSameObject(jni, list[i], self)) {
            list[i] = list[--count];
            break;
        }
    return count;
}

/* ---- contexts ---- */

static bool copy_context(jthread thread, struct context_words *out)
{
    uintptr_t java_thread = eetop_field ? (uintptr_t)(*jni)->GetLongField(jni, thread, eetop_field) : 0;
    return context_copy_running(context_of_java_thread(java_thread), out);
}

static bool is_same(const struct context_words *a, const struct context_words *b)
{
    return a->count == b->count && !memcmp(a->words, b->words, a->count * sizeof *a->words);
}

/* Keeps those contexts that the threads still have. A thread that had the same context before the safepoint and after it had it at the
 * safepoint, too. */
static void confirm_contexts(const jthread *threads, uint32_t count)
{
    struct context_words now;
    for (uint32_t i = 0; i < count; i++) {
        bool is_still = copy_context(threads[i], &now) && !changes[i];
        if (is_still && is_same(&contexts[i], &now))
            continue;
        contexts[i].count = 0;
        context_lose(CONTEXT_LOSS_IN_CHANGE);
    }
}

/* ---- stacks ---- */

/* Takes the stacks of some threads of a list, all at one safepoint. One additional frame shows whether a stack has more frames than
 * wanted. */
static int take_some(uint64_t *random, const jthread *list, uint32_t count)
{
    jthread chosen[JAVA_STACKS_MAX];
    uint32_t places[JAVA_STACKS_MAX], n = subset_draw(random, count, JAVA_STACKS_MAX, places);
    for (uint32_t i = 0; i < n; i++) {
        chosen[i] = list[places[i]];
        changes[i] = !copy_context(chosen[i], &contexts[i]);
    }
    if (n && (*jvmti)->GetThreadListStackTraces(jvmti, (jint)n, chosen, JAVA_STACK_FRAMES_MAX + 1, &taken))
        return -EIO;
    confirm_contexts(chosen, n);
    return (int)n;
}

static int take(uint64_t *random, uint32_t *alive)
{
    jthread *list = NULL;
    *alive = 0;
    if ((*jni)->PushLocalFrame(jni, LOCAL_REFERENCES)) {
        (*jni)->ExceptionClear(jni);
        return -ENOMEM;
    }
    int rc = list_threads(&list);
    if (rc >= 0) {
        *alive = (uint32_t)rc;
        rc = take_some(random, list, *alive);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)list);
    if (rc < 0)
        release();
    return rc;
}

/* Returns the state of a thread. A carrier of a virtual thread waits, but JVMTI does not report for what. The same is true for a thread
 * that a debugger has stopped. */
static enum jfr_thread_state state_of(jint bits)
{
    if (bits & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)
        return JFR_STATE_MONITOR;
    if (bits & JVMTI_THREAD_STATE_SLEEPING)
        return JFR_STATE_SLEEPING;
    if (bits & JVMTI_THREAD_STATE_IN_OBJECT_WAIT)
        return JFR_STATE_WAITING;
    if (bits & JVMTI_THREAD_STATE_PARKED)
        return JFR_STATE_PARKED;
    if (bits & (JVMTI_THREAD_STATE_WAITING | JVMTI_THREAD_STATE_SUSPENDED))
        return JFR_STATE_BLOCKED;
    return bits & JVMTI_THREAD_STATE_IN_NATIVE ? JFR_STATE_NATIVE : JFR_STATE_JAVA;
}

static void stack(uint32_t index, struct java_stack *out)
{
    const jvmtiStackInfo *info = &taken[index];
    uint32_t count = info->frame_count > 0 ? (uint32_t)info->frame_count : 0;
    *out = (struct java_stack){.thread = (*jni)->GetLongField(jni, info->thread, id_field),
                               .has_ended = !(info->state & JVMTI_THREAD_STATE_ALIVE),
                               .state = state_of(info->state),
                               .truncated = count > JAVA_STACK_FRAMES_MAX,
                               .count = count > JAVA_STACK_FRAMES_MAX ? JAVA_STACK_FRAMES_MAX : count,
                               .frames = frames,
                               .context = contexts[index].words,
                               .context_words = contexts[index].count};
    for (uint32_t i = 0; i < out->count; i++) {
        const jvmtiFrameInfo *f = &info->frame_buffer[i];
        frames[i] = (struct java_frame){(uintptr_t)f->method, f->location < 0 ? JAVA_BCI_NATIVE : (int32_t)f->location};
    }
}

static void thread_name(uint32_t index, char *out, size_t size)
{
    jvmtiThreadInfo info = {0};
    *out = 0;
    if ((*jvmti)->GetThreadInfo(jvmti, taken[index].thread, &info))
        return;
    snprintf(out, size, "%s", info.name ? info.name : "");
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
}

/* Converts a signature: "Ljava/util/Map;" becomes java.util.Map. Hidden classes have a dot before their last part, where Class.getName()
 * has a slash. */
static void name_class(const char *signature, char *out)
{
    size_t n = 0;
    for (const char *at = signature + (*signature == 'L'); *at && *at != ';' && n < CLASS_NAME_MAX - 1; at++)
        out[n++] = *at == '/' ? '.' : *at == '.' ? '/' : *at;
    out[n] = 0;
}

static uint32_t read_lines(jmethodID method, struct java_line *out)
{
    jint count = 0;
    jvmtiLineNumberEntry *table = NULL;
    if ((*jvmti)->GetLineNumberTable(jvmti, method, &count, &table))
        return 0;
    if (count > LINES_MAX)
        count = LINES_MAX;
    for (jint i = 0; i < count; i++)
        out[i] = (struct java_line){(uint16_t)table[i].start_location, (uint16_t)table[i].line_number};
    (*jvmti)->Deallocate(jvmti, (unsigned char *)table);
    return (uint32_t)count;
}

static bool describe(uintptr_t id, void (*to)(void *context, const struct java_method *method), void *context)
{
    static struct java_line lines[LINES_MAX];
    static char class_text[CLASS_NAME_MAX];
    jmethodID method = (jmethodID)id;
    char *name = NULL, *descriptor = NULL, *signature = NULL;
    jclass owner = NULL;
    bool known = !(*jvmti)->GetMethodName(jvmti, method, &name, &descriptor, NULL) &&
                 !(*jvmti)->GetMethodDeclaringClass(jvmti, method, &owner) && !(*jvmti)->GetClassSignature(jvmti, owner, &signature, NULL);
    if (known) {
        name_class(signature, class_text);
        to(context,
           &(struct java_method){
               .class_name = class_text, .name = name, .descriptor = descriptor, .lines = lines, .line_count = read_lines(method, lines)});
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    if (owner)
        (*jni)->DeleteLocalRef(jni, owner);
    return known;
}

void jvmti_stacks_init(jvmtiEnv *env, jfieldID thread_id, jfieldID eetop)
{
    if (!thread_id)
        return;
    jvmti = env;
    id_field = thread_id;
    eetop_field = eetop;
    java_stacks = (struct java_stacks){open_stacks, close_stacks, take, stack, thread_name, describe, release};
}
