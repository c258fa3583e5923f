/* Finds the offsets at which Java objects keep their fields. A lookup initializes the class, so use it only for classes whose
 * initialization does nothing. */
#ifndef CANDOR_AGENT_ENTRY_FIELDS_FIELDS_H
#define CANDOR_AGENT_ENTRY_FIELDS_FIELDS_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns a class, or NULL without a pending exception. */
jclass fields_class(JNIEnv *jni, const char *name);
/* Finds an instance field's offset in bytes. Returns false, and sets 0, if there is no such field. */
bool fields_offset(JNIEnv *jni, const char *class_name, const char *field, const char *descriptor, uint16_t *offset);

#endif
