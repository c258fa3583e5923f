/* The interface between the event wall and the code that follows virtual threads by JVMTI (entry/jvmti/jvmti_unmounts.c), which fills this
 * table. It is here so that no other code needs JVMTI.
 *
 *   open -> close
 *
 * Both functions run on the agent's thread, which is attached to Java during the call. From open to close the JVM calls unmount_left and
 * unmount_returned (hot/calls/unmounts.h) on carriers; it may do so once more after close. */
#ifndef CANDOR_AGENT_TRIGGER_JVM_MOUNT_EVENTS_H
#define CANDOR_AGENT_TRIGGER_JVM_MOUNT_EVENTS_H

#include <stdbool.h>

struct mount_events {
    bool (*open)(void);  /* returns false if this JVM has no virtual threads, or does not report their mounts */
    void (*close)(void); /* no effect if they have not begun */
};

extern struct mount_events mount_events; /* all NULL: there is no JVM */

#endif
