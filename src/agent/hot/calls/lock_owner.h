/* Finds the owner of the lock for which a thread waits. It reads the JVM's structures and Java's heap without stopping any thread.
 *
 * The JVM notes the owner of a monitor in the monitor. If several threads have only just begun to compete for it, the monitor may name no
 * owner yet, or a place on the owner's stack. Then the owner is searched for among the threads that have a slot. For a lock of
 * java.util.concurrent, the object that the thread is parked for names the owner.
 *
 * The functions are called by the waiting thread, or by the collector for a thread that appears to wait. The fault handler must be
 * installed. The work is bounded, by THREADS_MAX if the owner must be searched for. Unknown values are 0. */
#ifndef CANDOR_AGENT_HOT_CALLS_LOCK_OWNER_H
#define CANDOR_AGENT_HOT_CALLS_LOCK_OWNER_H

#include <stdbool.h>
#include <stdint.h>

struct lock_owner {
    uint32_t uid;    /* the uid of the owner's slot (hot/thread/thread.h); 0 = it has no slot, or the owner is unknown */
    uint32_t slot;   /* the slot's index at the time of the search */
    int64_t java_id; /* the id of the owner's java.lang.Thread; 0 = unknown */
};

/* The lock for which a thread waits. */
struct lock_target {
    uintptr_t address;    /* of the ObjectMonitor, or of the object for which the thread is parked; 0 = unknown */
    uintptr_t klass;      /* the Klass* of the lock's object; 0 = unknown */
    bool is_synchronizer; /* for a park: the object is a lock, semaphore or latch of java.util.concurrent */
    struct lock_owner owner;
};

/* Finds the monitor that this thread waits to enter. Returns false if it waits for none. */
bool lock_find_monitor(uintptr_t java_thread, struct lock_target *target);
/* Finds the object for which the thread is parked. Returns false if there is none, or if it cannot be read now. */
bool lock_find_blocker(uintptr_t java_thread, struct lock_target *target);

#endif
