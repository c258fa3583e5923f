/* Where Java keeps the object that a thread is parked for, and the owner of a java.util.concurrent lock. */
#ifndef CANDOR_AGENT_ENTRY_FIELDS_LOCK_FIELDS_H
#define CANDOR_AGENT_ENTRY_FIELDS_LOCK_FIELDS_H

#include <jni.h>

/* Fills vm_layout.locks. libjvm: a dlopen handle. In the live phase, on an attached thread, behind virtual_fields_read. */
void lock_fields_read(JNIEnv *jni, void *libjvm);

#endif
