/* Which record (hot/context.h) the carrier of a virtual thread points to: the virtual thread's (context/owners.h) while it is
 * mounted, its own otherwise. The JVM reports each mount and unmount through extension events of JVMTI. The agent requests
 * these only when the first virtual thread opens a scope, because they make mounts slower. */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_MOUNTS_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_MOUNTS_H

#include <jni.h>
#include <stdbool.h>

/* False if this JVM does not report mounts. Any Java thread. */
bool jvmti_mounts_watch(JNIEnv *jni);

#endif
