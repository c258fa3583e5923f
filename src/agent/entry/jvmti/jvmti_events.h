/* Switches pairs of JVMTI events on and off, together with the capability that they need. */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_EVENTS_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_EVENTS_H

#include <jvmti.h>

struct jvmti_events {
    jvmtiCapabilities capability;
    jvmtiEvent begin, end;
};

/* Switch the events on and off, on an attached thread. An error changes nothing. */
jvmtiError jvmti_events_on(jvmtiEnv *jvmti, const struct jvmti_events *e);
void jvmti_events_off(jvmtiEnv *jvmti, const struct jvmti_events *e);

#endif
