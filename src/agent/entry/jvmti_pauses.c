#include "agent/entry/jvmti_pauses.h"

#include "agent/entry/jvmti_collections.h"
#include "agent/trigger/gc_pauses.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

static JavaVM *java_vm;
static _Atomic bool is_open; /* relaxed in the JVM's thread: it only keeps out what nobody wants */

static int open_events(struct error *e)
{
    JNIEnv *jni;
    JavaVMAttachArgs arguments = {.version = JNI_VERSION_1_6, .name = (char *)"candor"};
    if ((*java_vm)->AttachCurrentThreadAsDaemon(java_vm, (void **)&jni, &arguments) != JNI_OK)
        return error_set(e, -EAGAIN, "the JVM does not take the agent's thread as one of its own; try again");
    jvmtiError rc = jvmti_collections_open();
    is_open = !rc;
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
    jvmti_collections_close();
}

void jvmti_pauses_started(void)
{
    if (atomic_load_explicit(&is_open, memory_order_relaxed))
        gc_pauses_begin();
}

void jvmti_pauses_finished(void)
{
    if (atomic_load_explicit(&is_open, memory_order_relaxed))
        gc_pauses_end();
}

void jvmti_pauses_init(JavaVM *vm)
{
    java_vm = vm;
    gc_events = (struct gc_events){open_events};
}
