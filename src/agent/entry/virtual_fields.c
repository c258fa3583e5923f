#include "agent/entry/virtual_fields.h"

#include "agent/hotspot/virtuals.h"

#include <stdbool.h>
#include <stdint.h>

enum { FIELD_ID_TAG = 3, FIELD_ID_INSTANCE = 2, FIELD_ID_SHIFT = 2, OFFSET_MAX = 1 << 12 };

/* A class, or NULL and no exception. */
static jclass find_class(JNIEnv *jni, const char *name)
{
    jclass class = (*jni)->FindClass(jni, name);
    (*jni)->ExceptionClear(jni);
    return class;
}

/* HotSpot's jfieldID of an instance field is the field's offset and two bits that say so. */
static bool offset_of(JNIEnv *jni, const char *class_name, const char *field, const char *descriptor, uint16_t *offset)
{
    jclass class = find_class(jni, class_name);
    uintptr_t id = class ? (uintptr_t)(*jni)->GetFieldID(jni, class, field, descriptor) : 0;
    (*jni)->ExceptionClear(jni);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    *offset = (uint16_t)(id >> FIELD_ID_SHIFT);
    return (id & FIELD_ID_TAG) == FIELD_ID_INSTANCE && id >> FIELD_ID_SHIFT < OFFSET_MAX;
}

/* Where the bytes of a byte[] begin: a constant of Unsafe, a long since JDK 25. */
static bool bytes_in_array(JNIEnv *jni, uint16_t *offset)
{
    static const char name[] = "ARRAY_BYTE_BASE_OFFSET";
    jclass unsafe = find_class(jni, "jdk/internal/misc/Unsafe");
    if (!unsafe)
        return false;
    jfieldID wide = (*jni)->GetStaticFieldID(jni, unsafe, name, "J");
    (*jni)->ExceptionClear(jni);
    jfieldID narrow = wide ? NULL : (*jni)->GetStaticFieldID(jni, unsafe, name, "I");
    (*jni)->ExceptionClear(jni);
    *offset = (uint16_t)(wide     ? (*jni)->GetStaticLongField(jni, unsafe, wide)
                         : narrow ? (*jni)->GetStaticIntField(jni, unsafe, narrow)
                                  : 0);
    (*jni)->DeleteLocalRef(jni, unsafe);
    return *offset;
}

void virtual_fields_read(JNIEnv *jni, void *libjvm)
{
    struct vm_virtual f = {0};
    uint16_t bytes;
    if (!vm_layout.virtuals.usable && offset_of(jni, "java/lang/Thread", "tid", "J", &f.id) &&
        offset_of(jni, "java/lang/Thread", "name", "Ljava/lang/String;", &f.name) &&
        offset_of(jni, "java/lang/String", "value", "[B", &f.string_value) &&
        offset_of(jni, "java/lang/String", "coder", "B", &f.string_coder) &&
        offset_of(jni, "jdk/internal/vm/StackChunk", "parent", "Ljdk/internal/vm/StackChunk;", &f.chunk_parent) &&
        offset_of(jni, "jdk/internal/vm/StackChunk", "sp", "I", &f.chunk_sp) &&
        offset_of(jni, "jdk/internal/vm/StackChunk", "bottom", "I", &f.chunk_bottom) && bytes_in_array(jni, &bytes))
        virtuals_fill(libjvm, &f, bytes);
}
