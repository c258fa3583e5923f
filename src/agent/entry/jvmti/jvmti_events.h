/* JVMTI events that come in pairs, with the capability that they need: switched on and off together. */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_EVENTS_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_EVENTS_H

#include <jvmti.h>

struct jvmti_events {
    jvmtiCapabilities capability;
    jvmtiEvent begin, end;
};

/* Call both on an attached thread. After an error nothing has changed. */
jvmtiError jvmti_events_on(jvmtiEnv *jvmti, const struct jvmti_events *e);
void jvmti_events_off(jvmtiEnv *jvmti, const struct jvmti_events *e);

#endif
