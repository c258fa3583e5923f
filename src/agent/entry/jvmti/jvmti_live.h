/* Weak references to sampled objects, and the ends of collections, for the event live (trigger/jvm/live_objects.h). */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_LIVE_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_LIVE_H

#include <jni.h>

/* Fills live_objects. */
void jvmti_live_init(void);

#endif
