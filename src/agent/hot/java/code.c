#include "agent/hot/java/code.h"

#include "agent/hot/load.h"

struct vm_layout vm_layout;

enum { SEGMAP_STEPS_MAX = 64, SEGMENT_FREE = 0xff };

bool code_contains(uintptr_t pc)
{
    return pc >= vm_layout.code_low && pc < vm_layout.code_high;
}

static const struct vm_heap *heap_of(uintptr_t pc)
{
    for (int i = 0; i < vm_layout.heap_count; i++) {
        const struct vm_heap *h = &vm_layout.heaps[i];
        uint64_t high;
        if (pc >= h->low && pc < h->reserved_high)
            return load_field(h->object, vm_layout.heap_committed_high, &high) && pc < high ? h : NULL;
    }
    return NULL;
}

/* Finds the start of the block that contains pc. The segment map has, for each segment, the distance back to the start of its block, in
 * steps of at most 0xfe. */
static uintptr_t block_of(const struct vm_heap *h, uintptr_t pc)
{
    uintptr_t segment = (pc - h->low) >> h->log2_segment;
    for (int i = 0; i < SEGMAP_STEPS_MAX; i++) {
        uint8_t back;
        if (!load_u8(h->segmap + segment, &back) || back == SEGMENT_FREE || back > segment)
            return 0;
        if (!back)
            return h->low + (segment << h->log2_segment);
        segment -= back;
    }
    return 0;
}

static bool begins_with(uint64_t text, const char *expected)
{
    return !__builtin_memcmp(&text, expected, sizeof text);
}

static void set_kind(struct code *c)
{
    uint64_t name, text;
    if (!load_address(c->blob, vm_layout.blob_name, &name) || !load_u64(name, &text))
        return;
    c->kind = begins_with(text, "nmethod") ? CODE_NMETHOD : begins_with(text, "native n") ? CODE_NATIVE_WRAPPER : CODE_STUB;
    c->is_routine = begins_with(text, "StubRout");
}

static bool code_begin(uintptr_t blob, uint64_t *begin)
{
    if (vm_layout.blob_code_begin.width)
        return load_field(blob, vm_layout.blob_code_begin, begin);
    uint64_t offset;
    return load_field(blob, vm_layout.blob_code_offset, &offset) && (*begin = blob + offset, true);
}

struct code code_find(uintptr_t pc)
{
    const struct code none = {.kind = CODE_NONE};
    if (!code_contains(pc))
        return none;
    if (pc >= vm_layout.interpreter_low && pc < vm_layout.interpreter_high)
        return (struct code){.kind = CODE_INTERPRETER, .frame_complete = -1};
    if (pc == vm_layout.call_stub_return)
        return (struct code){.kind = CODE_CALL_STUB, .frame_complete = -1};
    if (pc >= vm_layout.virtuals.barrier_low && pc < vm_layout.virtuals.barrier_high)
        return (struct code){.kind = CODE_RETURN_BARRIER, .frame_complete = -1};
    const struct vm_heap *h = heap_of(pc);
    uintptr_t block = h ? block_of(h, pc) : 0;
    uint64_t used, begin, size, frame;
    int64_t complete;
    if (!block || !load_field(block, vm_layout.block_used, &used) || !used)
        return none;
    uintptr_t blob = block + vm_layout.block_size;
    struct code c = {.blob = blob};
    set_kind(&c);
    if (c.kind == CODE_NONE || !code_begin(blob, &begin) || !load_field(blob, vm_layout.blob_size, &size) || pc >= blob + size ||
        !load_signed(blob, vm_layout.blob_frame_size, (int64_t *)&frame) || !load_signed(blob, vm_layout.blob_frame_complete, &complete))
        return none;
    c.begin = begin;
    c.frame_words = (int64_t)frame > 0 && frame < 1 << 20 ? (uint32_t)frame : 0;
    c.frame_complete = (int32_t)complete;
    return c;
}

uint32_t code_compilation(uintptr_t pc)
{
    uint64_t number;
    const struct code c = code_find(pc);
    return code_is_compiled(&c) && load_field(c.blob, vm_layout.nm_compile_id, &number) ? (uint32_t)number : 0;
}

static bool is_entry(const struct code *c, struct vm_field field, uintptr_t pc)
{
    uint64_t at;
    return load_field(c->blob, field, &at) && pc == (vm_layout.family == VM_NMETHOD_ADDRESSES ? at : c->blob + at);
}

bool code_is_deopt_entry(const struct code *c, uintptr_t pc)
{
    return c->kind == CODE_NMETHOD && (is_entry(c, vm_layout.nm_deopt_entry, pc) || is_entry(c, vm_layout.nm_deopt_mh_entry, pc));
}

uintptr_t code_original_pc(const struct code *c, uintptr_t pc, uintptr_t sp)
{
    uint64_t offset, original;
    if (!code_is_deopt_entry(c, pc) || !load_field(c->blob, vm_layout.nm_original_pc, &offset) || offset >= 8 * (uint64_t)c->frame_words ||
        !load_u64(sp + offset, &original) || code_find(original).blob != c->blob)
        return pc;
    return original;
}
