/* Where the classes behind virtual threads keep their fields, as far as references do not show it (hot/java/heap.h). JNI initializes
 * a class when asked about it, so no class is asked whose initialization does something: a program that uses no virtual threads
 * must not get their scheduler. */
#ifndef CANDOR_AGENT_ENTRY_FIELDS_VIRTUAL_FIELDS_H
#define CANDOR_AGENT_ENTRY_FIELDS_VIRTUAL_FIELDS_H

#include <jni.h>

/* Fills vm_layout.virtuals, which stays unusable on a JVM without virtual threads. libjvm: a dlopen handle. In the live
 * phase, on an attached thread. */
void virtual_fields_read(JNIEnv *jni, void *libjvm);

#endif
