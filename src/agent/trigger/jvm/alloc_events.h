/* The interface between the event alloc and the code that uses JVMTI (entry/jvmti/jvmti_alloc.c), which fills this table. It is here so
 * that no other code needs JVMTI.
 *
 *   open -> set_interval* -> close
 *
 * open and set_interval are called on the agent's thread, which is attached to Java during the call. From open to close the JVM calls
 * alloc_take (hot/calls/alloc.h) on threads that allocate; it may do so once more after close. */
#ifndef CANDOR_AGENT_TRIGGER_JVM_ALLOC_EVENTS_H
#define CANDOR_AGENT_TRIGGER_JVM_ALLOC_EVENTS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { ALLOC_INTERVAL_JVM = 512 << 10 }; /* the JVM's default interval */
#define ALLOC_INTERVAL_MAX UINT64_C(0x7fffffff)

struct alloc_events {
    /* Makes the JVM sample with this mean of the bytes between two samples, at most ALLOC_INTERVAL_MAX. Returns 0 or a negative errno with
     * the remedy: -ENOTSUP: the JVM cannot sample; -EBUSY: another agent samples. */
    int (*open)(uint64_t interval, struct error *e);
    bool (*set_interval)(uint64_t interval);
    void (*close)(void);
};

extern struct alloc_events alloc_events; /* all NULL: there is no JVM */

#endif
