/* The agent's use of Java, through JVMTI and a few JNI field reads: which threads are Java threads, their names, the names of
 * generated stubs, the system properties. No Java code of ours runs. */
#ifndef CANDOR_AGENT_ENTRY_JAVA_H
#define CANDOR_AGENT_ENTRY_JAVA_H

#include "agent/control/loop.h"
#include "base/error.h"

#include <jvmti.h>
#include <stdbool.h>

/* Gets a JVMTI environment with the capabilities that the agent uses. Call it before VMInit or at attach. */
int java_open(JavaVM *vm, struct error *e);
/* Reads the JVM's layout, facts and stubs. Call it in the live phase, on an attached thread. */
void java_describe(JNIEnv *jni);
/* Sets the JVM's flag DebugNonSafepoints, so that all code compiled from now on has full debug information. (Listening to JVMTI's
 * CompiledMethodLoad has the same effect, but JDK 25 then ends with a failed guarantee when classes are unloaded meanwhile.) late: the JVM
 * has already compiled code. */
void java_want_debug_info(bool late);

/* Registers the functions to call when the JVM is ready, and when it ends. */
void java_on_life(void (*ready)(JNIEnv *jni), void (*ending)(void));

extern const struct hooks java_hooks;
/* Does the same as the hook bind_threads, on a thread that is already attached. */
void java_bind_threads(JNIEnv *jni);

#endif
