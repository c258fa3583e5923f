/* Follows virtual threads on their carriers. The JVM reports each mount and unmount through extension events of JVMTI, on the carrier,
 * which still, or already, has the identity of the virtual thread. Those who follow get these reports. The JVM also reports an unmount and
 * a mount when a virtual thread could not leave its carrier because its frames pin it.
 *
 *   jvmti_mounts_follow -> jvmti_mounts_leave
 *
 * The agent requests the events only while somebody follows, because they cost each mount 50 ns. They can be requested at any time,
 * also by an agent that was attached late. */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_MOUNTS_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_MOUNTS_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/* A mount is reported in this order, and an unmount in the opposite order: the others find the context of the thread. */
enum mounts_follower { MOUNTS_FOR_CONTEXTS, MOUNTS_FOR_LOCKS, MOUNTS_FOR_WALL, MOUNTS_FOLLOWERS };

/* The functions are called on carriers. id: of the virtual thread's java.lang.Thread. */
struct mounts_reports {
    void (*mounted)(JNIEnv *jni, jthread thread, int64_t id);
    void (*unmounted)(JNIEnv *jni, jthread thread, int64_t id);
};

/* What a virtual thread does, by its own state. */
enum virtual_doing {
    VIRTUAL_RUNS, /* also when it waits for a monitor, or in Object.wait, which the JVM marks later; and at its end */
    VIRTUAL_PARKS,
    VIRTUAL_YIELDS
};

/* Requests the events. reports: stays the caller's, and must stay valid for ever. Returns false if this JVM does not report mounts. Any
 * Java thread may call it. */
bool jvmti_mounts_follow(JNIEnv *jni, enum mounts_follower who, const struct mounts_reports *reports);
/* Ends them, unless others follow. A report may still come once on each carrier. The calling thread is attached to Java. */
void jvmti_mounts_leave(enum mounts_follower who);
/* Returns what the thread of a report does. It is VIRTUAL_RUNS if the JVM's class has no such state. */
enum virtual_doing jvmti_mounts_doing(JNIEnv *jni, jthread thread);

#endif
