/* Sampled allocations from JVMTI, for the event alloc (trigger/jvm/alloc_events.h). */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_ALLOC_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_ALLOC_H

#include <jvmti.h>

/* Fills alloc_events. thread_id: the field of java.lang.Thread that holds its id, or NULL. */
void jvmti_alloc_init(jvmtiEnv *env, jfieldID thread_id);
/* Ends what open has begun, if it has; the interval is then the one from before. On an attached thread. */
void jvmti_alloc_close(void);

void JNICALL jvmti_alloc_sampled(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jclass klass, jlong size);

#endif
