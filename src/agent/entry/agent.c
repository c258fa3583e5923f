/* The agent's entry points: loading with the JVM (-agentpath:), or into a running one (attach). Options: docs/formats/control.md. */
#include "agent/control/loop.h"
#include "agent/control/options.h"
#include "agent/entry/java.h"
#include "agent/hot/fault/fault.h"
#include "agent/hot/fault/visit.h"
#include "agent/hot/inject.h"
#include "agent/symbolize/native.h"
#include "agent/trigger/threads.h"
#include "base/agreed/control_protocol.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static struct collect_options options;

static int open_and_start(bool late, struct error *e)
{
    return loop_open(&java_hooks, late, options.file[0] ? &options : NULL, e);
}

/* Writes to the program's standard error why the agent cannot do what its options request. This is the agent's only message there. */
static void complain(const struct error *e, const char *consequence)
{
    fprintf(stderr, "candor: %s%s\n", e->text, consequence);
}

/* ---- visits: if the agent's code on a thread of the JVM faults, only the visit ends, and not the JVM ---- */

static void free_locks(void)
{
    threads_let_go();
    native_abandon();
    loop_let_go();
}

static bool visit_jvm(void (*work)(void *), void *argument)
{
    visit_frees = free_locks;
    fault_hold();
    bool whole = visit(work, argument);
    fault_let_go();
    if (!whole)
        complain(&(struct error){"the agent has disabled itself after an internal fault; please report it"}, "");
    return whole;
}

static void begin(void *jni)
{
    struct error e;
    java_describe(jni);
    int rc = open_and_start(false, &e);
    if (rc)
        complain(&e, rc > 0 ? "; the JVM is still recorded until it ends" : "");
}

static void jvm_ready(JNIEnv *jni)
{
    visit_jvm(begin, jni);
}

static void jvm_ending(void)
{
    loop_finish(true);
}

static int parse(const char *text, struct error *e)
{
    char *copy = strdup(text ? text : "");
    int rc = copy ? options_parse(&options, copy, e) : -1;
    free(copy);
    return rc;
}

struct loading {
    JavaVM *vm;
    const char *text;
    jint answer;
};

static void load(void *argument)
{
    static bool is_loaded;
    const struct loading *l = argument;
    struct error e = {"out of memory"};
    inject_crash(INJECT_AT_LOAD);
    if (is_loaded) {
        error_set(&e, -EALREADY, "the agent is loaded twice in this JVM (-agentpath, JAVA_TOOL_OPTIONS): the first one's options apply");
        complain(&e, "");
        return;
    }
    is_loaded = true;
    if (parse(l->text, &e) || java_open(l->vm, &e)) {
        complain(&e, "");
        return;
    }
    java_want_debug_info(false);
    java_on_life(jvm_ready, jvm_ending);
}

/* Never returns an error, because that would end the JVM: a program must not fail because it cannot be profiled. */
EXPORT JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
    visit_jvm(load, &(struct loading){.vm = vm, .text = text});
    return JNI_OK;
}

static void attach(void *argument)
{
    struct loading *l = argument;
    struct error e = {"out of memory"};
    JNIEnv *jni = NULL;
    inject_crash(INJECT_AT_LOAD);
    int rc = parse(l->text, &e);
    rc = rc ? rc : java_open(l->vm, &e);
    if (rc || (*l->vm)->GetEnv(l->vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK) {
        l->answer = rc == -EAGAIN ? AGENT_TOO_EARLY : JNI_ERR;
        return;
    }
    java_want_debug_info(true);
    java_on_life(NULL, jvm_ending);
    java_describe(jni);
    if (!open_and_start(true, &e))
        l->answer = JNI_OK;
    else if (options.file[0])
        complain(&e, "");
}

EXPORT JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
    struct loading l = {.vm = vm, .text = text, .answer = JNI_ERR};
    visit_jvm(attach, &l);
    return l.answer;
}

EXPORT JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    loop_finish(true);
}
