/* Finds out what a virtual thread waits for when it leaves its carrier. The JVM parks a virtual thread also when it sleeps or waits for a
 * socket, and for a reader these are different things. The methods on its stack show which it is.
 *
 * Called on the carrier, while the JVM reports that its virtual thread leaves. The fault handler must be installed. The work is bounded. */
#ifndef CANDOR_AGENT_HOT_CALLS_VIRTUAL_PURPOSE_H
#define CANDOR_AGENT_HOT_CALLS_VIRTUAL_PURPOSE_H

#include <stdint.h>

enum virtual_purpose {
    VIRTUAL_PURPOSE_NEW,    /* of a method: it was not examined yet */
    VIRTUAL_PURPOSE_CALLER, /* of a method: its caller's purpose counts */
    VIRTUAL_PURPOSE_PARK,   /* a park that is none of the following */
    VIRTUAL_PURPOSE_SLEEP,
    VIRTUAL_PURPOSE_IO,   /* for a socket, a pipe or a process */
    VIRTUAL_PURPOSE_WAIT, /* Object.wait */
    VIRTUAL_PURPOSE_END   /* the thread has ended */
};

enum virtual_purpose virtual_purpose(uintptr_t java_thread);
/* Forgets what it knows about methods, whose ids belong to a recording. */
void virtual_purpose_forget(void);

#endif
