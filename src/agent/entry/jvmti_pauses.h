/* Pauses for garbage collection as JVMTI tells of them, for the event halt (trigger/gc_pauses.h). */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_PAUSES_H
#define CANDOR_AGENT_ENTRY_JVMTI_PAUSES_H

#include <jvmti.h>

/* Fills gc_events. */
void jvmti_pauses_init(JavaVM *vm, jvmtiEnv *env);
/* Ends what open has begun, if it has. On an attached thread. */
void jvmti_pauses_close(void);

/* Called while all threads stand: nothing of JNI or JVMTI may be called here. */
void JNICALL jvmti_pauses_start(jvmtiEnv *env);
void JNICALL jvmti_pauses_finish(jvmtiEnv *env);

#endif
