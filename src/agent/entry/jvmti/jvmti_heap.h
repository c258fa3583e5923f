/* Heap walks through JVMTI, and the names of the classes and fields that they find, for the search for paths (trigger/jvm/heap_walks.h). */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_HEAP_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_HEAP_H

#include <jni.h>

/* Fills heap_walks. thread_id: the field of java.lang.Thread that holds its id. */
void jvmti_heap_init(JavaVM *vm, jfieldID thread_id);

#endif
