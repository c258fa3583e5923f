#include "agent/hotspot/objects.h"

#include "agent/hotspot/flags.h"

#include <stddef.h>

/* Returns the address of a static pointer or number of a type that was renamed, and that belonged to Universe before JDK 13. */
static const void *either(const struct vmstructs *v, const char *type, const char *field, const char *former)
{
    const void *p = vmstructs_static(v, type, field);
    p = p ? p : vmstructs_static(v, type, former);
    return p ? p : vmstructs_static(v, "Universe", former);
}

static bool narrow(const struct vmstructs *v, const char *type, const char *base, const char *shift, const char *old_base,
                   const char *old_shift, uintptr_t *base_out, uint8_t *shift_out)
{
    const uintptr_t *b = either(v, type, base, old_base);
    const int *s = either(v, type, shift, old_shift);
    if (!b || !s)
        return false;
    *base_out = *b;
    *shift_out = (uint8_t)*s;
    return true;
}

static bool headers(const struct vmstructs *v, void *libjvm, struct vm_objects *o)
{
    uint64_t shift = 0;
    o->klass_in_mark = flags_get(libjvm, "UseCompactObjectHeaders", false);
    o->narrow_klass = o->klass_in_mark || flags_get(libjvm, "UseCompressedClassPointers", true);
    o->header_bytes = o->klass_in_mark ? 8 : o->narrow_klass ? 12 : 16;
    if (o->klass_in_mark && !vmstructs_long_constant(v, "markWord::klass_shift", &shift))
        return false;
    o->mark_klass_shift = (uint8_t)shift;
    vmstructs_field(v, "Klass", "_super", &o->klass_super);
    return vmstructs_field(v, "Klass", "_layout_helper", &o->klass_layout) &&
           (!o->narrow_klass || narrow(v, "CompressedKlassPointers", "_base", "_shift", "_narrow_klass._base", "_narrow_klass._shift",
                                       &o->klass_base, &o->klass_shift));
}

/* Reads what ZGC publishes about the colors of references. Its older kind, the only one before JDK 21 and removed after 23, has other
 * names. */
static bool colors(const struct vmstructs *v, const char *globals, const char *bad, const char *shift, struct vm_objects *o)
{
    struct vm_field field;
    const uintptr_t *instance = vmstructs_static(v, globals, "_instance_p");
    if (!instance || !*instance || !vmstructs_field(v, globals, bad, &field))
        return false;
    o->bad_color = *(const uintptr_t *)(*instance + field.offset);
    if (shift && vmstructs_field(v, globals, shift, &field))
        o->color_shift = *(const uintptr_t *)(*instance + field.offset);
    return o->bad_color && (!shift || o->color_shift);
}

static bool references(const struct vmstructs *v, void *libjvm, struct vm_objects *o)
{
    if (flags_get(libjvm, "UseZGC", false) && vm_layout.java_version < 21)
        return colors(v, "ZGlobalsForVMStructs", "_ZAddressBadMask", NULL, o);
    if (flags_get(libjvm, "UseZGC", false))
        return flags_get(libjvm, "ZGenerational", true) ? colors(v, "ZGlobalsForVMStructs", "_ZPointerLoadBadMask", "_ZPointerLoadShift", o)
                                                        : colors(v, "XGlobalsForVMStructs", "_XAddressBadMask", NULL, o);
    o->narrow_references = flags_get(libjvm, "UseCompressedOops", true);
    return !o->narrow_references || narrow(v, "CompressedOops", "_base", "_shift", "_narrow_oop._base", "_narrow_oop._shift",
                                           &o->reference_base, &o->reference_shift);
}

static bool heap(const struct vmstructs *v, struct vm_objects *o)
{
    struct vm_field active, count;
    const uintptr_t *heap = vmstructs_static(v, "Universe", "_collectedHeap");
    if (!heap || !*heap ||
        (!vmstructs_field(v, "CollectedHeap", "_is_stw_gc_active", &active) &&
         !vmstructs_field(v, "CollectedHeap", "_is_gc_active", &active)) ||
        !vmstructs_field(v, "CollectedHeap", "_total_collections", &count))
        return false;
    o->collections = *heap + count.offset;
    o->collecting = *heap + active.offset;
    return true;
}

bool objects_fill(const struct vmstructs *v, void *libjvm)
{
    struct vm_objects *o = &vm_layout.objects;
    if (!o->usable) {
        *o = (struct vm_objects){0};
        o->usable = headers(v, libjvm, o) && references(v, libjvm, o) && heap(v, o);
    }
    return o->usable;
}
