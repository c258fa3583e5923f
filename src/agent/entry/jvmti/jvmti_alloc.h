/* Sampled allocations from JVMTI, for the event alloc (trigger/jvm/alloc_events.h). */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_ALLOC_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_ALLOC_H

#include <jvmti.h>

/* Fills alloc_events. thread_id: the field of java.lang.Thread that holds its id, or NULL. */
void jvmti_alloc_init(jvmtiEnv *env, jfieldID thread_id);
/* Ends the notifications if alloc_events.open has begun them. The JVM's sampling interval is then the earlier one again. Call it on an
 * attached thread. */
void jvmti_alloc_close(void);

void JNICALL jvmti_alloc_sampled(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jclass klass, jlong size);

#endif
