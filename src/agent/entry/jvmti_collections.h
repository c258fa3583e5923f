/* Garbage collections as JVMTI tells of them. Two events of a recording want to be told, halt (jvmti_pauses.h) and live (jvmti_live.h): the
 * first that asks has the JVM tell, and when the last one is done it is told to stop. */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_COLLECTIONS_H
#define CANDOR_AGENT_ENTRY_JVMTI_COLLECTIONS_H

#include <jvmti.h>

void jvmti_collections_init(jvmtiEnv *env);
/* On an attached thread, one at a time. After an error there is nothing to close. */
jvmtiError jvmti_collections_open(void);
void jvmti_collections_close(void);

/* Called while all threads stand: nothing of JNI or JVMTI may be called here. */
void JNICALL jvmti_collections_started(jvmtiEnv *env);
void JNICALL jvmti_collections_finished(jvmtiEnv *env);

#endif
