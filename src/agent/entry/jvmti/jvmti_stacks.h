/* Stacks of Java threads from JVMTI, for the event safepoint (trigger/jvm/java_stacks.h). */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_STACKS_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_STACKS_H

#include <jvmti.h>

/* Fills java_stacks. thread_id: the field of java.lang.Thread that holds its id. eetop: the field that holds the address of its JavaThread;
 * NULL = unknown. */
void jvmti_stacks_init(jvmtiEnv *env, jfieldID thread_id, jfieldID eetop);

#endif
