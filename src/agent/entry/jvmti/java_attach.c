#include "agent/entry/jvmti/java_attach.h"

#include <errno.h>
#include <stddef.h>

static JavaVM *java_vm;

void java_attach_init(JavaVM *vm)
{
    java_vm = vm;
}

JNIEnv *java_attach(void)
{
    JNIEnv *jni = NULL;
    JavaVMAttachArgs arguments = {.version = JNI_VERSION_1_6, .name = (char *)"candor"};
    return (*java_vm)->AttachCurrentThreadAsDaemon(java_vm, (void **)&jni, &arguments) == JNI_OK ? jni : NULL;
}

void java_detach(void)
{
    (*java_vm)->DetachCurrentThread(java_vm);
}

int java_attach_refused(struct error *e)
{
    return error_set(e, -EAGAIN, "the JVM does not let the agent's thread attach to it; try again");
}
