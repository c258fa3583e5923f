#include "agent/entry/fields/fields.h"

enum { FIELD_ID_TAG = 3, FIELD_ID_INSTANCE = 2, FIELD_ID_SHIFT = 2, OFFSET_MAX = 1 << 12 };

jclass fields_class(JNIEnv *jni, const char *name)
{
    jclass class = (*jni)->FindClass(jni, name);
    (*jni)->ExceptionClear(jni);
    return class;
}

/* Finds the offset in the jfieldID. HotSpot's jfieldID of an instance field consists of the field's offset and two bits that mark it as
 * such. */
bool fields_offset(JNIEnv *jni, const char *class_name, const char *field, const char *descriptor, uint16_t *offset)
{
    jclass class = fields_class(jni, class_name);
    uintptr_t id = class ? (uintptr_t)(*jni)->GetFieldID(jni, class, field, descriptor) : 0;
    (*jni)->ExceptionClear(jni);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    bool found = (id & FIELD_ID_TAG) == FIELD_ID_INSTANCE && id >> FIELD_ID_SHIFT < OFFSET_MAX;
    *offset = found ? (uint16_t)(id >> FIELD_ID_SHIFT) : 0;
    return found;
}
