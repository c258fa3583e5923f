#include "agent/entry/jvmti_collections.h"

#include "agent/entry/jvmti_live.h"
#include "agent/entry/jvmti_pauses.h"

#include <stddef.h>

static jvmtiEnv *jvmti;
static int users;

static const jvmtiCapabilities capability = {.can_generate_garbage_collection_events = 1};
static const jvmtiEvent events[] = {JVMTI_EVENT_GARBAGE_COLLECTION_START, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH};

static jvmtiError notify(jvmtiEventMode mode)
{
    jvmtiError rc = JVMTI_ERROR_NONE;
    for (size_t i = 0; !rc && i < sizeof events / sizeof *events; i++)
        rc = (*jvmti)->SetEventNotificationMode(jvmti, mode, events[i], NULL);
    return rc;
}

static void end(void)
{
    notify(JVMTI_DISABLE);
    (*jvmti)->RelinquishCapabilities(jvmti, &capability);
}

jvmtiError jvmti_collections_open(void)
{
    jvmtiError rc = users ? JVMTI_ERROR_NONE : (*jvmti)->AddCapabilities(jvmti, &capability);
    if (rc)
        return rc;
    rc = users ? JVMTI_ERROR_NONE : notify(JVMTI_ENABLE);
    if (rc)
        end();
    else
        users++;
    return rc;
}

void jvmti_collections_close(void)
{
    if (!--users)
        end();
}

void JNICALL jvmti_collections_started(jvmtiEnv *env)
{
    jvmti_pauses_started();
}

void JNICALL jvmti_collections_finished(jvmtiEnv *env)
{
    jvmti_pauses_finished();
    jvmti_live_collected();
}

void jvmti_collections_init(jvmtiEnv *env)
{
    jvmti = env;
}
