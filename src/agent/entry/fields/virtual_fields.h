/* Finds where the classes behind virtual threads keep their fields, as far as references do not show it (hot/java/heap.h). JNI initializes
 * each class that a lookup names, so classes with a side effect in their initialization are not looked up: a program that uses no virtual
 * threads must not get their scheduler. */
#ifndef CANDOR_AGENT_ENTRY_FIELDS_VIRTUAL_FIELDS_H
#define CANDOR_AGENT_ENTRY_FIELDS_VIRTUAL_FIELDS_H

#include <jni.h>

/* Fills vm_layout.virtuals, which stays unusable on a JVM without virtual threads. libjvm: a dlopen handle. Call it in the live phase, on
 * an attached thread. */
void virtual_fields_read(JNIEnv *jni, void *libjvm);

#endif
