#include "agent/hot/java/heap.h"

#include "agent/hot/java/method.h"
#include "agent/hot/load.h"

#include <stdatomic.h>

enum { MARK_FORWARDED = 3, MARK_TAG = 3, COLOR_BITS = 16, INSTANCE_BYTES_MAX = 1 << 10, SUPERS_MAX = 16 };

static const char class_names[HEAP_CLASSES][56] = {
    [HEAP_VIRTUAL_THREAD] = "java/lang/VirtualThread",
    [HEAP_CONTINUATION] = "java/lang/VirtualThread$VThreadContinuation",
    [HEAP_VIRTUAL_TASK] = "java/lang/VirtualThread$VThreadContinuation$1",
    [HEAP_STACK_CHUNK] = "jdk/internal/vm/StackChunk",
    [HEAP_OWNABLE] = "java/util/concurrent/locks/AbstractOwnableSynchronizer",
};

/* The Klass* of each class, after it was found: these classes are never unloaded. */
static _Atomic uintptr_t classes[HEAP_CLASSES];

/* The offset of the field that refers to an object of each class; 0 = not found yet. */
static _Atomic uint16_t places[HEAP_CLASSES];

bool heap_is_still(enum jfr_thread_state state, uint64_t *moment)
{
    const struct vm_objects *o = &vm_layout.objects;
    uint64_t colors = 0;
    uint32_t collections;
    uint8_t collecting;
    /* Acquire, both: earlier reads of the heap come before the reads here, and later reads of the heap come after them. */
    atomic_thread_fence(memory_order_acquire);
    if (!load_u8(o->collecting, &collecting) || !load_u32(o->collections, &collections) ||
        (o->bad_color && !load_u64(o->bad_color, &colors)))
        return false;
    atomic_thread_fence(memory_order_acquire);
    *moment = colors ^ (uint64_t)collections << 32;
    return !collecting || state == JFR_STATE_JAVA || state == JFR_STATE_VM;
}

/* Shenandoah stores the address of the new copy of an object in the header of the old copy. */
static bool forward(uintptr_t *object)
{
    uint64_t mark;
    if (!*object)
        return true;
    if (*object & 7 || !load_u64(*object, &mark))
        return false;
    if ((mark & MARK_TAG) == MARK_FORWARDED)
        *object = mark & ~(uint64_t)MARK_TAG;
    return !(*object & 7);
}

static bool take_reference(uint64_t reference, uintptr_t *object)
{
    const struct vm_objects *o = &vm_layout.objects;
    uint64_t bad, shift;
    *object = reference;
    if (o->color_shift && !(reference >> COLOR_BITS)) { /* null has color bits, too */
        *object = 0;
        return true;
    }
    if (o->bad_color && (!load_u64(o->bad_color, &bad) || reference & bad))
        return false;
    if (o->color_shift) {
        if (!load_u64(o->color_shift, &shift) || shift > 32)
            return false;
        *object = reference >> shift;
    }
    return forward(object);
}

bool heap_handle(uintptr_t owner, struct vm_field handle, uintptr_t *object)
{
    uint64_t at, reference;
    return load_field(owner, handle, &at) && at && load_u64(at, &reference) && take_reference(reference, object);
}

bool heap_word(uintptr_t at, uintptr_t *object)
{
    uint64_t reference;
    return load_u64(at, &reference) && take_reference(reference, object);
}

bool heap_field(uintptr_t object, uint16_t offset, uintptr_t *to)
{
    const struct vm_objects *o = &vm_layout.objects;
    uint64_t reference;
    uint32_t narrow;
    if (!o->narrow_references)
        return load_u64(object + offset, &reference) && take_reference(reference, to);
    if (!load_u32(object + offset, &narrow))
        return false;
    *to = narrow ? o->reference_base + ((uintptr_t)narrow << o->reference_shift) : 0;
    return forward(to);
}

/* Finds the object to which a word on a stack refers. If references have shifted colors, words on stacks are not usable: they have no
 * colors, and such a collector corrects a frame only when the thread is about to return to it. An older frame may therefore refer to a
 * place that an object has left. */
bool heap_on_stack(uintptr_t at, uintptr_t *object)
{
    uint64_t reference;
    return !vm_layout.objects.color_shift && load_u64(at, &reference) && take_reference(reference, object);
}

bool heap_klass(uintptr_t object, uintptr_t *klass)
{
    const struct vm_objects *o = &vm_layout.objects;
    uint64_t word;
    uint32_t narrow;
    if (!object)
        return false;
    if (o->klass_in_mark) {
        if (!load_u64(object, &word))
            return false;
        word >>= o->mark_klass_shift;
    } else if (o->narrow_klass) {
        if (!load_u32(object + 8, &narrow))
            return false;
        word = narrow;
    } else if (!load_u64(object + 8, &word))
        return false;
    *klass = o->narrow_klass ? o->klass_base + (word << o->klass_shift) : word;
    return word && !(*klass & 7);
}

static bool klass_is(uintptr_t klass, enum heap_class class)
{
    /* Relaxed, because only the address itself is shared. */
    uintptr_t known = atomic_load_explicit(&classes[class], memory_order_relaxed);
    if (known)
        return klass == known;
    uint64_t symbol;
    if (!load_field(klass, vm_layout.klass_name, &symbol) || !method_symbol_is(symbol, class_names[class]))
        return false;
    atomic_store_explicit(&classes[class], klass, memory_order_relaxed);
    return true;
}

bool heap_is(uintptr_t object, enum heap_class class)
{
    uintptr_t klass;
    return heap_klass(object, &klass) && klass_is(klass, class);
}

bool heap_klass_extends(uintptr_t klass, enum heap_class class)
{
    uint64_t super = klass;
    for (int i = 0; i < SUPERS_MAX && super; i++) {
        if (klass_is(super, class))
            return true;
        if (!load_field(super, vm_layout.objects.klass_super, &super))
            return false;
    }
    return false;
}

bool heap_instance_bytes(uintptr_t object, uint32_t *bytes)
{
    uintptr_t klass;
    uint64_t layout;
    if (!heap_klass(object, &klass) || !load_field(klass, vm_layout.objects.klass_layout, &layout))
        return false;
    *bytes = (uint32_t)layout & ~7u; /* the lowest bits are flags */
    return *bytes && *bytes < INSTANCE_BYTES_MAX;
}

bool heap_find(uintptr_t object, enum heap_class class, uintptr_t *to)
{
    const struct vm_objects *o = &vm_layout.objects;
    uint16_t step = o->narrow_references ? 4 : 8;
    uint32_t end;
    /* Relaxed, because no other memory depends on this number. */
    uint16_t known = atomic_load_explicit(&places[class], memory_order_relaxed);
    if (known)
        return heap_field(object, known, to) && heap_is(*to, class);
    if (!heap_instance_bytes(object, &end))
        return false;
    for (uint16_t at = (uint16_t)((o->header_bytes + step - 1) & -step); at + step <= end; at += step)
        if (heap_field(object, at, to) && heap_is(*to, class)) {
            atomic_store_explicit(&places[class], at, memory_order_relaxed);
            return true;
        }
    return false;
}
