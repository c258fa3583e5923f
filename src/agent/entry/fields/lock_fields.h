/* Finds where Java keeps the object for which a thread is parked, and the owner of a java.util.concurrent lock. */
#ifndef CANDOR_AGENT_ENTRY_FIELDS_LOCK_FIELDS_H
#define CANDOR_AGENT_ENTRY_FIELDS_LOCK_FIELDS_H

#include <jni.h>

/* Fills vm_layout.locks. libjvm: a dlopen handle. Call it in the live phase, on an attached thread, after virtual_fields_read. */
void lock_fields_read(JNIEnv *jni, void *libjvm);

#endif
