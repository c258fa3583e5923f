#include "agent/entry/jvmti/jvmti_pauses.h"

#include "agent/entry/jvmti/java_attach.h"
#include "agent/entry/jvmti/jvmti_collections.h"
#include "agent/trigger/jvm/gc_pauses.h"

#include <errno.h>
#include <stdbool.h>

static bool is_open;

static const struct jvmti_collections_user user = {gc_pauses_begin, gc_pauses_end};

static int open_events(struct error *e)
{
    if (!java_attach())
        return java_attach_refused(e);
    jvmtiError rc = jvmti_collections_open(&user);
    is_open = !rc;
    java_detach();
    if (!rc)
        return 0;
    return error_set(e, -ENOTSUP, "event=halt: this JVM does not report garbage collections (JVMTI error %d); record without halt",
                     (int)rc);
}

void jvmti_pauses_close(void)
{
    if (is_open)
        jvmti_collections_close(&user);
    is_open = false;
}

static void close_events(void)
{
    if (!java_attach())
        return;
    jvmti_pauses_close();
    java_detach();
}

void jvmti_pauses_init(void)
{
    gc_events = (struct gc_events){open_events, close_events};
}
