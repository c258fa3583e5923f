/* Pauses for garbage collection from JVMTI, for the event halt (trigger/jvm/gc_pauses.h). */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_PAUSES_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_PAUSES_H

#include <jni.h>

/* Fills gc_events. */
void jvmti_pauses_init(void);
/* Ends the notifications if gc_events.open has begun them. Call it on an attached thread. */
void jvmti_pauses_close(void);

#endif
