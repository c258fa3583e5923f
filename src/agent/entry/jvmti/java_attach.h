/* Attaches the agent's own thread to Java, only for the duration of a call. The exceptions are in jvmti_stacks.c and jvmti_heap.c. */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JAVA_ATTACH_H
#define CANDOR_AGENT_ENTRY_JVMTI_JAVA_ATTACH_H

#include "base/error.h"

#include <jni.h>

void java_attach_init(JavaVM *vm);
/* Attaches the calling thread to the JVM. Returns NULL if the JVM refuses. */
JNIEnv *java_attach(void);
void java_detach(void);
/* Sets the error for an attempt that returned NULL, and returns its code. */
int java_attach_refused(struct error *e);

#endif
