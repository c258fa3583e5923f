/* Makes the JVM throw compiled code away (trigger/jvm/old_code.h, docs/internals/hotspot.md). */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_HEAL_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_HEAL_H

#include <jvmti.h>

/* Fills old_code. */
void jvmti_heal_init(jvmtiEnv *env);

#endif
