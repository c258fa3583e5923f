/* Finds the fields that JVMTI's heap walks report by index (paths/field_index.h). The functions run on the agent's thread, attached to the
 * JVM. */
#ifndef CANDOR_AGENT_ENTRY_FIELDS_HEAP_FIELDS_H
#define CANDOR_AGENT_ENTRY_FIELDS_HEAP_FIELDS_H

#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

enum { HEAP_FIELD_NAME_BYTES = 256 };

struct heap_field {
    char name[HEAP_FIELD_NAME_BYTES];
    bool is_static;
    bool is_of_reference; /* java.lang.ref.Reference declares it */
};

/* Finds a field by its index in JVMTI: a field of objects of that class, or of the class itself if the field is static. reference: the
 * class java.lang.ref.Reference. Returns false if there is no such field. */
bool heap_field_find(jvmtiEnv *jvmti, JNIEnv *jni, jclass class, jint index, jclass reference, struct heap_field *out);

#endif
