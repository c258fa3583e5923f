/* The owner of what a thread waits for, read from the JVM's structures and Java's heap as they are, without stopping any
 * thread.
 *
 * The JVM notes the owner of a monitor in the monitor. If several threads have only just begun to compete for it, it may name
 * nobody yet, or a place on the owner's stack; then the owner is searched for among the threads that have a slot. For a lock of
 * java.util.concurrent, the object that the thread is parked for names the owner.
 *
 * Called by the waiting thread, or by the collector for a thread that it believes to be waiting; the fault handler is
 * installed. Bounded, by THREADS_MAX if it has to search for the owner. Unknown values are 0. */
#ifndef CANDOR_AGENT_HOT_CALLS_LOCK_OWNER_H
#define CANDOR_AGENT_HOT_CALLS_LOCK_OWNER_H

#include <stdbool.h>
#include <stdint.h>

struct lock_owner {
    uint32_t uid;    /* of its slot (hot/thread/thread.h); 0 = it has none, or none is known */
    uint32_t slot;   /* its index, when it was looked for */
    int64_t java_id; /* java.lang.Thread's; 0 = unknown */
};

/* What a thread waits for. */
struct lock_target {
    uintptr_t address;    /* of the ObjectMonitor, or of the object that it is parked for; 0 = unknown */
    uintptr_t klass;      /* of the lock's object; 0 = unknown */
    bool is_synchronizer; /* of a park: for one of java.util.concurrent's locks, semaphores and latches */
    struct lock_owner owner;
};

/* The monitor that this thread waits to enter; false when it waits for none. */
bool lock_find_monitor(uintptr_t java_thread, struct lock_target *target);
/* The object that it is parked for; false if there is none, or it cannot be read now. */
bool lock_find_blocker(uintptr_t java_thread, struct lock_target *target);

#endif
