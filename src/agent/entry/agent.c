/* The agent's doors: loaded with the JVM (-agentpath:), or into a running one (attach). Options: docs/formats/control.md. */
#include "agent/control/loop.h"
#include "agent/control/options.h"
#include "agent/entry/java.h"
#include "base/control_protocol.h"

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

/* The one thing the agent ever says on the application's standard error: why what its options asked for cannot be. */
static void complain(const struct error *e, const char *consequence)
{
    fprintf(stderr, "candor: %s%s\n", e->text, consequence);
}

static void jvm_ready(JNIEnv *jni)
{
    struct error e;
    java_describe(jni);
    int rc = open_and_start(false, &e);
    if (rc)
        complain(&e, rc > 0 ? "; until the JVM ends it is recorded all the same" : "");
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

EXPORT JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
    static bool is_loaded;
    struct error e = {"out of memory"};
    if (is_loaded) {
        error_set(&e, -EALREADY, "the agent is loaded twice in this JVM (-agentpath, JAVA_TOOL_OPTIONS): the first one's options count");
        complain(&e, "");
        return JNI_OK;
    }
    is_loaded = true;
    if (parse(text, &e) || java_open(vm, &e)) {
        complain(&e, "");
        return JNI_OK; /* an error would end the JVM: a program must not fail for want of its profile */
    }
    java_want_debug_info(false);
    java_on_life(jvm_ready, jvm_ending);
    return JNI_OK;
}

EXPORT JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
    struct error e = {"out of memory"};
    JNIEnv *jni = NULL;
    int rc = parse(text, &e);
    rc = rc ? rc : java_open(vm, &e);
    if (rc || (*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK)
        return rc == -EAGAIN ? AGENT_TOO_EARLY : JNI_ERR;
    java_want_debug_info(true);
    java_on_life(NULL, jvm_ending);
    java_describe(jni);
    if (!open_and_start(true, &e))
        return JNI_OK;
    if (options.file[0])
        complain(&e, "");
    return JNI_ERR;
}

EXPORT JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    loop_finish(true);
}
