#include "agent/hot/java/virtual.h"

#include "agent/hot/java/heap.h"
#include "agent/hot/load.h"
#include "agent/hot/record.h"

enum { ENTRY_WORDS_ABOVE = 8, NAME_BYTES_MAX = 8 * (RECORD_VIRTUAL_MAX - 2) };

/* Finds the virtual thread whose continuation is in an entry. */
static bool thread_of(uintptr_t entry, uintptr_t *thread)
{
    uintptr_t continuation, task;
    return heap_on_stack(entry + vm_layout.virtuals.entry_continuation, &continuation) && heap_is(continuation, HEAP_CONTINUATION) &&
           heap_find(continuation, HEAP_VIRTUAL_TASK, &task) && heap_find(task, HEAP_VIRTUAL_THREAD, thread);
}

/* Finds the virtual thread by the entry of its frames. While a virtual thread parks or yields, the JVM may report the carrier as the
 * current thread. The continuation in the entry always belongs to the virtual thread. The address of the entry is unknown on JDK 21, and
 * for a thread that is not yet known to be a Java thread. The frame at the entry begins with it, except for arguments below it. */
static bool find_by_entry(uintptr_t java_thread, uintptr_t entry, uintptr_t *thread)
{
    uint64_t known;
    if (java_thread && load_field(java_thread, vm_layout.virtuals.thread_entry, &known) && known)
        return thread_of(known, thread);
    for (int i = 0; entry && i < ENTRY_WORDS_ABOVE; i++)
        if (thread_of(entry + 8 * (uintptr_t)i, thread))
            return true;
    return false;
}

bool virtual_find(uintptr_t java_thread, uintptr_t entry, uintptr_t *thread)
{
    return (java_thread && heap_handle(java_thread, vm_layout.virtuals.thread_current, thread) && heap_is(*thread, HEAP_VIRTUAL_THREAD)) ||
           find_by_entry(java_thread, entry, thread);
}

bool virtual_is_mounted(uintptr_t java_thread)
{
    const struct vm_virtual *v = &vm_layout.virtuals;
    uintptr_t thread;
    uint64_t entry;
    if (v->thread_entry.width)
        return load_field(java_thread, v->thread_entry, &entry) && entry;
    return heap_handle(java_thread, v->thread_current, &thread) && heap_is(thread, HEAP_VIRTUAL_THREAD);
}

/* Copies the thread's name. Returns the number of words; 0 if the name cannot be read. */
static size_t copy_name(uintptr_t thread, uint64_t *words)
{
    const struct vm_objects *o = &vm_layout.objects;
    uintptr_t name, bytes;
    uint32_t length;
    uint8_t coder;
    if (!heap_field(thread, vm_layout.virtuals.name, &name) || !name || !load_u8(name + vm_layout.virtuals.string_coder, &coder) ||
        coder > 1 || !heap_field(name, vm_layout.virtuals.string_value, &bytes) || !bytes || !load_u32(bytes + o->header_bytes, &length))
        return 0;
    if (length > NAME_BYTES_MAX)
        length = NAME_BYTES_MAX;
    size_t count = 0;
    words[count++] = record_name(length, coder);
    for (uint32_t i = 0; i < length; i += 8) {
        uint64_t word = 0;
        for (uint32_t k = 0; k < 8 && i + k < length; k++) {
            uint8_t b;
            if (!load_u8(bytes + o->bytes_in_array + i + k, &b))
                return 0;
            word |= (uint64_t)b << 8 * k;
        }
        words[count++] = word;
    }
    return count;
}

/* Returns the virtual thread's id from the JVM's own field for the current thread, which no garbage collector changes. Returns 0 if the
 * field has the carrier's id. */
static uint64_t owner_id(uintptr_t java_thread, int64_t carrier)
{
    uint64_t id;
    if (!java_thread || !load_field(java_thread, vm_layout.virtuals.thread_owner, &id))
        return 0;
    return id == (uint64_t)carrier || (int64_t)id <= 0 ? 0 : id;
}

size_t virtual_describe(uintptr_t java_thread, enum jfr_thread_state state, uintptr_t entry, int64_t carrier,
                        uint64_t words[RECORD_VIRTUAL_MAX])
{
    uint64_t before, after, id, owner = owner_id(java_thread, carrier);
    uintptr_t thread;
    size_t count = 1;
    words[0] = owner;
    if (!heap_is_still(state, &before) || !virtual_find(java_thread, entry, &thread) || !load_u64(thread + vm_layout.virtuals.id, &id) ||
        (int64_t)id <= 0 || (owner && owner != id))
        return count;
    count += copy_name(thread, words + 1);
    if (!heap_is_still(state, &after) || after != before)
        return 1;
    words[0] = id;
    return count;
}
