#include "agent/entry/fields/heap_fields.h"

#include "agent/paths/field_index.h"

#include <stdio.h>

enum { INTERFACES_MAX = 512, LOCAL_REFERENCES = 2048 };

struct shape {
    jclass classes[FIELD_INDEX_CLASSES_MAX];
    jclass interfaces[INTERFACES_MAX];
    uint32_t interface_count;
    struct field_counts counts;
    bool has_failed;
};

static uint32_t count_fields(jvmtiEnv *jvmti, jclass class, struct shape *s)
{
    jint count = 0;
    jfieldID *fields = NULL;
    if ((*jvmti)->GetClassFields(jvmti, class, &count, &fields)) {
        s->has_failed = true;
        return 0;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)fields);
    return (uint32_t)count;
}

static bool has_interface(JNIEnv *jni, const struct shape *s, jclass interface)
{
    for (uint32_t i = 0; i < s->interface_count; i++)
        if ((*jni)->IsSameObject(jni, s->interfaces[i], interface))
            return true;
    return false;
}

/* Adds the interfaces that a class or an interface itself declares, except those that are in the list already. */
static void add_interfaces_of(jvmtiEnv *jvmti, JNIEnv *jni, jclass class, struct shape *s)
{
    jint count = 0;
    jclass *list = NULL;
    if ((*jvmti)->GetImplementedInterfaces(jvmti, class, &count, &list)) {
        s->has_failed = true;
        return;
    }
    for (jint i = 0; i < count; i++) {
        if (has_interface(jni, s, list[i]))
            (*jni)->DeleteLocalRef(jni, list[i]);
        else if (s->interface_count == INTERFACES_MAX)
            s->has_failed = true;
        else
            s->interfaces[s->interface_count++] = list[i];
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)list);
}

/* Reads all interfaces. The list grows during the loop, because superinterfaces are added at its end. */
static void read_interfaces(jvmtiEnv *jvmti, JNIEnv *jni, struct shape *s)
{
    for (uint32_t i = 0; i < s->counts.class_count; i++)
        add_interfaces_of(jvmti, jni, s->classes[i], s);
    for (uint32_t i = 0; i < s->interface_count; i++) {
        s->counts.interfaces += count_fields(jvmti, s->interfaces[i], s);
        add_interfaces_of(jvmti, jni, s->interfaces[i], s);
    }
}

static void read_classes(jvmtiEnv *jvmti, JNIEnv *jni, jclass class, struct shape *s)
{
    while (class && s->counts.class_count < FIELD_INDEX_CLASSES_MAX) {
        s->counts.classes[s->counts.class_count] = count_fields(jvmti, class, s);
        s->classes[s->counts.class_count++] = class;
        class = (*jni)->GetSuperclass(jni, class); /* NULL for an interface */
    }
    s->has_failed |= class != NULL;
}

static bool describe(jvmtiEnv *jvmti, JNIEnv *jni, jclass class, uint32_t place, jclass reference, struct heap_field *out)
{
    jint count = 0, modifiers = 0;
    jfieldID *fields = NULL;
    char *name = NULL;
    if ((*jvmti)->GetClassFields(jvmti, class, &count, &fields))
        return false;
    bool good = place < (uint32_t)count && !(*jvmti)->GetFieldName(jvmti, class, fields[place], &name, NULL, NULL) &&
                !(*jvmti)->GetFieldModifiers(jvmti, class, fields[place], &modifiers);
    if (good) {
        snprintf(out->name, sizeof out->name, "%s", name);
        out->is_static = modifiers & 8; /* ACC_STATIC */
        out->is_of_reference = (*jni)->IsSameObject(jni, class, reference);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)fields);
    return good;
}

bool heap_field_find(jvmtiEnv *jvmti, JNIEnv *jni, jclass class, jint index, jclass reference, struct heap_field *out)
{
    static struct shape s; /* only the agent's thread uses it */
    uint32_t class_place, field;
    s.interface_count = s.counts.class_count = s.counts.interfaces = 0;
    s.has_failed = false;
    if ((*jni)->PushLocalFrame(jni, LOCAL_REFERENCES)) {
        (*jni)->ExceptionClear(jni);
        return false;
    }
    read_classes(jvmti, jni, class, &s);
    read_interfaces(jvmti, jni, &s);
    bool found = !s.has_failed && field_index_find(&s.counts, index, &class_place, &field) &&
                 describe(jvmti, jni, s.classes[class_place], field, reference, out);
    (*jni)->PopLocalFrame(jni, NULL);
    return found;
}
