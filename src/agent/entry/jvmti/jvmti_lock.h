/* Contended monitors from JVMTI, for the event lock (trigger/jvm/lock_events.h). */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_LOCK_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_LOCK_H

#include <jvmti.h>

/* Fills lock_events. thread_id: the field of java.lang.Thread that holds its id, or NULL. */
void jvmti_lock_init(jvmtiEnv *env, jfieldID thread_id);

void JNICALL jvmti_lock_enter(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object);
void JNICALL jvmti_lock_entered(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object);

#endif
