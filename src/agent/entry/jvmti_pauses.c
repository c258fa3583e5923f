#include "agent/entry/jvmti_pauses.h"

#include "agent/trigger/gc_pauses.h"

#include <errno.h>
#include <stdbool.h>

static JavaVM *java_vm;
static jvmtiEnv *jvmti;
static bool is_open;

static const jvmtiCapabilities capability = {.can_generate_garbage_collection_events = 1};

static void enable(jvmtiEventMode mode)
{
    (*jvmti)->SetEventNotificationMode(jvmti, mode, JVMTI_EVENT_GARBAGE_COLLECTION_START, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, mode, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, NULL);
}

static int open_events(struct error *e)
{
    JNIEnv *jni;
    JavaVMAttachArgs arguments = {.version = JNI_VERSION_1_6, .name = (char *)"candor"};
    if ((*java_vm)->AttachCurrentThreadAsDaemon(java_vm, (void **)&jni, &arguments) != JNI_OK)
        return error_set(e, -EAGAIN, "the JVM does not take the agent's thread as one of its own; try again");
    jvmtiError rc = (*jvmti)->AddCapabilities(jvmti, &capability);
    is_open = !rc;
    if (!rc)
        enable(JVMTI_ENABLE);
    (*java_vm)->DetachCurrentThread(java_vm);
    if (!rc)
        return 0;
    return error_set(e, -ENOTSUP, "event=halt: this JVM refuses to tell of its collections (JVMTI error %d); record without halt", (int)rc);
}

void jvmti_pauses_close(void)
{
    if (!is_open)
        return;
    is_open = false;
    enable(JVMTI_DISABLE);
    (*jvmti)->RelinquishCapabilities(jvmti, &capability);
}

void JNICALL jvmti_pauses_start(jvmtiEnv *env)
{
    gc_pauses_begin();
}

void JNICALL jvmti_pauses_finish(jvmtiEnv *env)
{
    gc_pauses_end();
}

void jvmti_pauses_init(JavaVM *vm, jvmtiEnv *env)
{
    java_vm = vm;
    jvmti = env;
    gc_events = (struct gc_events){open_events};
}
