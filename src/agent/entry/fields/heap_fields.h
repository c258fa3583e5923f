/* The fields that JVMTI's heap walks name by index (paths/field_index.h). On the agent's thread, attached. */
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

/* Of an object of that class, or of the class itself where the field is static. reference: that class. False: there is none such. */
bool heap_field_find(jvmtiEnv *jvmti, JNIEnv *jni, jclass class, jint index, jclass reference, struct heap_field *out);

#endif
