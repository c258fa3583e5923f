#include "agent/entry/jvmti/jvmti_events.h"

#include <stddef.h>

static jvmtiError notify(jvmtiEnv *jvmti, const struct jvmti_events *e, jvmtiEventMode mode)
{
    jvmtiError rc = (*jvmti)->SetEventNotificationMode(jvmti, mode, e->begin, NULL);
    return rc ? rc : (*jvmti)->SetEventNotificationMode(jvmti, mode, e->end, NULL);
}

jvmtiError jvmti_events_on(jvmtiEnv *jvmti, const struct jvmti_events *e)
{
    jvmtiError rc = (*jvmti)->AddCapabilities(jvmti, &e->capability);
    if (rc)
        return rc;
    rc = notify(jvmti, e, JVMTI_ENABLE);
    if (rc)
        jvmti_events_off(jvmti, e);
    return rc;
}

void jvmti_events_off(jvmtiEnv *jvmti, const struct jvmti_events *e)
{
    notify(jvmti, e, JVMTI_DISABLE);
    (*jvmti)->RelinquishCapabilities(jvmti, &e->capability);
}
