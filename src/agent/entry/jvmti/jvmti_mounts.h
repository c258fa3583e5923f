/* Sets the record (hot/context.h) to which the carrier of a virtual thread points. While a virtual thread is mounted, this is the virtual
 * thread's record (context/owners.h), and otherwise the carrier's own. The JVM reports each mount and unmount through extension events of
 * JVMTI. The agent requests these events only when the first virtual thread opens a scope, because they make mounts slower. */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_MOUNTS_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_MOUNTS_H

#include <jni.h>
#include <stdbool.h>

/* Requests the events. Returns false if this JVM does not report mounts. Any Java thread may call it. */
bool jvmti_mounts_watch(JNIEnv *jni);

#endif
