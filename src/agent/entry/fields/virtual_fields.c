#include "agent/entry/fields/virtual_fields.h"

#include "agent/entry/fields/fields.h"
#include "agent/hotspot/virtuals.h"

#include <stdbool.h>
#include <stdint.h>

/* Finds where the bytes of a byte[] begin. This is a constant of Unsafe, which has the type long since JDK 25. */
static bool bytes_in_array(JNIEnv *jni, uint16_t *offset)
{
    static const char name[] = "ARRAY_BYTE_BASE_OFFSET";
    jclass unsafe = fields_class(jni, "jdk/internal/misc/Unsafe");
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
    if (!vm_layout.virtuals.usable && fields_offset(jni, "java/lang/Thread", "tid", "J", &f.id) &&
        fields_offset(jni, "java/lang/Thread", "name", "Ljava/lang/String;", &f.name) &&
        fields_offset(jni, "java/lang/String", "value", "[B", &f.string_value) &&
        fields_offset(jni, "java/lang/String", "coder", "B", &f.string_coder) &&
        fields_offset(jni, "jdk/internal/vm/StackChunk", "parent", "Ljdk/internal/vm/StackChunk;", &f.chunk_parent) &&
        fields_offset(jni, "jdk/internal/vm/StackChunk", "sp", "I", &f.chunk_sp) &&
        fields_offset(jni, "jdk/internal/vm/StackChunk", "bottom", "I", &f.chunk_bottom) && bytes_in_array(jni, &bytes))
        virtuals_fill(libjvm, &f, bytes);
}
