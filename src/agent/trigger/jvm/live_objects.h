/* The interface between the event live and the code that uses JNI and JVMTI (entry/jvmti/jvmti_live.c), which fills this table, and the
 * notifications from there. It is here so that no other code needs JNI or JVMTI.
 *
 *   open -> [ look | forget ]* -> close
 *
 * All functions run on the agent's thread, which is attached to Java during the call. References are weak: they keep no object alive.
 * Threads that allocate create them (entry/jvmti/jvmti_alloc.c), and they arrive with the records of sampled allocations
 * (hot/calls/alloc.h). */
#ifndef CANDOR_AGENT_TRIGGER_JVM_LIVE_OBJECTS_H
#define CANDOR_AGENT_TRIGGER_JVM_LIVE_OBJECTS_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct live_objects {
    /* Makes the JVM report the end of collections' pauses. Returns 0 or a negative errno with the remedy. */
    int (*open)(struct error *e);
    void (*close)(void);
    /* Finds which of the objects are alive, as far as the JVM knows. Returns false if the JVM could not be asked. */
    bool (*look)(const uintptr_t *references, bool *is_alive, uint32_t count);
    /* Gives references back to the JVM. Returns false if they still exist. */
    bool (*forget)(const uintptr_t *references, uint32_t count);
};

extern struct live_objects live_objects; /* all NULL: there is no JVM */

/* Written by the JVM's own thread when a pause ends, and read by the agent's thread. */
struct live_pauses {
    _Atomic uint64_t count;
    _Atomic uint64_t ended_ns; /* CLOCK_MONOTONIC, the last one */
    _Atomic uint64_t used;     /* the least number of bytes in use after a pause, since the reader set it to UINT64_MAX */
};

extern struct live_pauses live_pauses;

/* Returns how many collections the JVM has begun since its start; if the JVM does not count them, how many pauses have ended. Every
 * collection with a higher number examines the objects that were allocated before this was read (for exceptions see
 * collections_are_concurrent). Any thread may call it. */
uint32_t live_collections(void);

/* Adds a pause. Only one thread at a time may call it. used: bytes of the heap in use; 0 = unknown. */
void live_pauses_add(uint64_t ended_ns, uint64_t used);

#endif
