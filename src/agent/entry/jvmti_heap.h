/* The heap as JVMTI tells of it, and the names of what is in it, for the search for paths (trigger/heap_walks.h). */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_HEAP_H
#define CANDOR_AGENT_ENTRY_JVMTI_HEAP_H

#include <jni.h>

/* Fills heap_walks. thread_id: the field of a thread's id. */
void jvmti_heap_init(JavaVM *vm, jfieldID thread_id);

#endif
