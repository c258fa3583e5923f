/* The interface between the event lock and the code that uses JVMTI (entry/jvmti/jvmti_lock.c), which fills this table. It is here so that
 * no other code needs JVMTI.
 *
 *   open -> close
 *
 * Both functions run on the agent's thread, which is attached to Java during the call. From open to close the JVM calls lock_begin_monitor
 * and lock_end_monitor (hot/calls/lock.h) on threads that wait for monitors, and lock_begin_virtual and lock_end_virtual on the carriers of
 * virtual threads; it may do so once more after close. */
#ifndef CANDOR_AGENT_TRIGGER_JVM_LOCK_EVENTS_H
#define CANDOR_AGENT_TRIGGER_JVM_LOCK_EVENTS_H

#include "base/error.h"

#include <stdbool.h>

struct lock_events {
    /* Begins the callbacks. Returns 0 or a negative errno with the remedy: -ENOTSUP: the JVM does not support them. */
    int (*open)(struct error *e);
    void (*close)(void); /* no effect if they have not begun */
    /* Set by open: the JVM also reports when a virtual thread leaves its carrier and returns to one, so its parks are seen. */
    bool sees_virtual;
};

extern struct lock_events lock_events; /* all NULL: there is no JVM */

#endif
