/* Which record (hot/context.h) the carrier of a virtual thread points to: the virtual thread's (context/owners.h) while that is
 * mounted, its own otherwise. The JVM tells of each mount and unmount by extension events of JVMTI. Nobody asks for these before the
 * first virtual thread opens a scope: they make mounts dearer. */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_MOUNTS_H
#define CANDOR_AGENT_ENTRY_JVMTI_MOUNTS_H

#include <jni.h>
#include <stdbool.h>

/* False where this JVM does not tell of mounts. Any thread of Java's. */
bool jvmti_mounts_watch(JNIEnv *jni);

#endif
