#include "agent/hot/calls/lock_owner.h"

#include "agent/hot/java/heap.h"
#include "agent/hot/layout.h"
#include "agent/hot/load.h"
#include "agent/hot/thread/thread.h"

#include <stddef.h>

/* Values of an ObjectMonitor's owner that are not a thread: no owner, an unknown owner, and the JVM's thread that removes unused
 * monitors. */
enum { OWNER_NOBODY, OWNER_ANONYMOUS, OWNER_TIDYING };

enum { IDS_REMEMBERED = 1 << 12, LOCKED_MAX = 64 };

/* Cache of the slots in which threads with an id were found last: index of the slot + 1, indexed by the id's lowest bits. Relaxed, because
 * each entry is checked before use. */
static _Atomic uint32_t slot_of_id[IDS_REMEMBERED];

typedef bool matcher(const struct sampled_thread *t, uint64_t what);

static bool is_live(const struct sampled_thread *t)
{
    return atomic_load_explicit(&t->slot, memory_order_relaxed) == SLOT_LIVE && atomic_load_explicit(&t->java_thread, memory_order_relaxed);
}

static bool has_id(const struct sampled_thread *t, uint64_t id)
{
    return t->java_id == (int64_t)id;
}

static bool has_on_stack(const struct sampled_thread *t, uint64_t address)
{
    const struct vm_locks *l = &vm_layout.locks;
    uintptr_t java_thread = atomic_load_explicit(&t->java_thread, memory_order_relaxed);
    uint64_t base, size;
    return l->stack_base.width && load_field(java_thread, l->stack_base, &base) && load_field(java_thread, l->stack_size, &size) &&
           address < base && base - address <= size;
}

/* Whether the thread has locked the object. A thread lists the objects that it has locked in a small stack of its own. */
static bool has_locked(const struct sampled_thread *t, uint64_t object)
{
    const struct vm_locks *l = &vm_layout.locks;
    uintptr_t java_thread = atomic_load_explicit(&t->java_thread, memory_order_relaxed);
    uintptr_t stack = java_thread + l->stack.offset, first = stack + l->stack_first.offset, locked;
    uint64_t top, word;
    if (!load_field(stack, l->stack_top, &top)) /* an offset in the JavaThread */
        return false;
    for (uintptr_t at = first; at < java_thread + top && at < first + 8 * LOCKED_MAX; at += 8)
        if ((load_u64(at, &word) && word == object) || (heap_on_stack(at, &locked) && locked == object))
            return true;
    return false;
}

static const struct sampled_thread *look_for(matcher *matches, uint64_t what)
{
    uint32_t used = atomic_load_explicit(&sampled_threads_used, memory_order_relaxed);
    for (uint32_t i = 0; i < used && i < THREADS_MAX; i++)
        if (is_live(&sampled_threads[i]) && matches(&sampled_threads[i], what))
            return &sampled_threads[i];
    return NULL;
}

static struct lock_owner owner_of(const struct sampled_thread *t)
{
    return t ? (struct lock_owner){t->uid, t->index, t->java_id} : (struct lock_owner){0};
}

/* Finds the owner by its id. A virtual thread has an id but no slot. */
static struct lock_owner find_by_id(uint64_t id)
{
    _Atomic uint32_t *known = &slot_of_id[id % IDS_REMEMBERED];
    uint32_t slot = atomic_load_explicit(known, memory_order_relaxed);
    const struct sampled_thread *t = slot ? &sampled_threads[slot - 1] : NULL;
    if (!t || !is_live(t) || !has_id(t, id)) {
        t = look_for(has_id, id);
        atomic_store_explicit(known, t ? t->index + 1 : 0, memory_order_relaxed);
    }
    return t ? owner_of(t) : (struct lock_owner){.java_id = (int64_t)id};
}

/* Finds the slot of a thread by its JavaThread*. The address may not be a JavaThread*; the result is NULL unless the slot has the same
 * address. */
static const struct sampled_thread *find_java_thread(uint64_t java_thread)
{
    uint64_t os_thread, tid;
    if (!load_field(java_thread, vm_layout.thread_osthread, &os_thread) || !load_field(os_thread, vm_layout.osthread_tid, &tid) ||
        tid >= THREAD_IDS_MAX)
        return NULL;
    uint32_t slot = atomic_load_explicit(&thread_slot_of_tid[tid], memory_order_relaxed);
    const struct sampled_thread *t = slot ? &sampled_threads[slot - 1] : NULL;
    return t && atomic_load_explicit(&t->java_thread, memory_order_relaxed) == java_thread ? t : NULL;
}

static struct lock_owner find_by_address(uint64_t address)
{
    const struct sampled_thread *t = find_java_thread(address);
    return owner_of(t ? t : look_for(has_on_stack, address));
}

static bool find_root(uintptr_t structure, struct vm_root root, uintptr_t *object)
{
    if (!root.field.width || !vm_layout.objects.usable)
        return false;
    return (root.is_handle ? heap_handle(structure, root.field, object) : heap_word(structure + root.field.offset, object)) && *object;
}

bool lock_find_monitor(uintptr_t java_thread, struct lock_target *target)
{
    const struct vm_locks *l = &vm_layout.locks;
    uint64_t monitor, owner, before, after;
    uintptr_t object = 0;
    *target = (struct lock_target){0};
    if (!vm_layout.thread_pending_monitor.width || !load_field(java_thread, vm_layout.thread_pending_monitor, &monitor) || !monitor)
        return false;
    target->address = monitor;
    bool still = heap_is_still(JFR_STATE_BLOCKED, &before);
    if (!still || !find_root(monitor, l->object, &object) || !heap_klass(object, &target->klass) ||
        !heap_is_still(JFR_STATE_BLOCKED, &after) || before != after)
        target->klass = object = 0;
    if (!l->owner.width || !load_field(monitor, l->owner, &owner) || owner == OWNER_NOBODY || owner == OWNER_TIDYING)
        return true;
    if (owner != OWNER_ANONYMOUS)
        target->owner = l->owner_is_id ? find_by_id(owner) : find_by_address(owner);
    else if (object && l->stack.width)
        target->owner = owner_of(look_for(has_locked, object));
    return true;
}

static bool read_blocker(uintptr_t java_thread, struct lock_target *target, uint64_t *owner, bool *is_virtual)
{
    const struct vm_locks *l = &vm_layout.locks;
    uintptr_t thread, object, holder;
    if (!l->park_blocker || !find_root(java_thread, l->thread, &thread) || !heap_field(thread, l->park_blocker, &object) || !object ||
        !heap_klass(object, &target->klass))
        return false;
    target->address = object;
    target->is_synchronizer = heap_klass_extends(target->klass, HEAP_OWNABLE);
    if (target->is_synchronizer && l->exclusive_owner && l->thread_id && heap_field(object, l->exclusive_owner, &holder) && holder &&
        !load_u64(holder + l->thread_id, owner))
        *owner = 0;
    *is_virtual = *owner && heap_is(holder, HEAP_VIRTUAL_THREAD);
    return true;
}

bool lock_find_blocker(uintptr_t java_thread, struct lock_target *target)
{
    uint64_t before, after, owner = 0;
    bool is_virtual = false;
    *target = (struct lock_target){0};
    if (!vm_layout.objects.usable || !heap_is_still(JFR_STATE_BLOCKED, &before) ||
        !read_blocker(java_thread, target, &owner, &is_virtual) || !heap_is_still(JFR_STATE_BLOCKED, &after) || before != after) {
        *target = (struct lock_target){0};
        return false;
    }
    /* The slots are not searched for a virtual thread, which has none: each park for its lock would look at all of them. */
    if (owner)
        target->owner = is_virtual ? (struct lock_owner){.java_id = (int64_t)owner} : find_by_id(owner);
    return true;
}
