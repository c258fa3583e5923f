/* The agent's use of Java, through JVMTI and a few JNI field reads: which threads are Java threads, their names, the names of
 * generated stubs, the system properties. No Java code of ours runs. */
#ifndef CANDOR_AGENT_ENTRY_JAVA_H
#define CANDOR_AGENT_ENTRY_JAVA_H

#include "agent/control/loop.h"
#include "base/error.h"

#include <jvmti.h>
#include <stdbool.h>

/* Takes a JVMTI environment with the capabilities we use. Before VMInit and at attach. */
int java_open(JavaVM *vm, struct error *e);
/* In the live phase, on an attached thread: the JVM's layout, facts and stubs. */
void java_describe(JNIEnv *jni);
/* Full debug information for all code compiled from now on, by the JVM's flag DebugNonSafepoints. (Listening to JVMTI's
 * CompiledMethodLoad has the same effect, and ends JDK 25 in a failed guarantee when classes are unloaded meanwhile.) late: the
 * JVM has compiled code before. */
void java_want_debug_info(bool late);

/* Registers the functions to call when the JVM is ready, and when it ends. */
void java_on_life(void (*ready)(JNIEnv *jni), void (*ending)(void));

extern const struct hooks java_hooks;
/* Does the same as the hook, on a thread that is attached already. */
void java_bind_threads(JNIEnv *jni);

#endif
