#include "fake_jvm.h"

#include "agent/hot/unwind/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct fake_jvm fake;

static const struct vm_field word_at_8 = {8, 8};

static void describe_code(struct vm_layout *l)
{
    l->heap_committed_high = (struct vm_field){8, 8};
    l->block_length = (struct vm_field){0, 8};
    l->block_used = (struct vm_field){8, 1};
    l->block_size = 16;
    l->blob_name = word_at_8;
    l->blob_size = (struct vm_field){16, 4};
    l->blob_frame_size = (struct vm_field){20, 4};
    l->blob_frame_complete = (struct vm_field){24, 4};
    l->blob_code_begin = (struct vm_field){32, 8};
    l->nm_method = (struct vm_field){40, 8};
    l->nm_comp_level = (struct vm_field){48, 1};
    l->nm_compile_id = (struct vm_field){100, 4};
    l->pcdesc_size = 16;
    l->nm_scopes_pcs = (struct vm_field){52, 4};
    l->nm_deopt_entry = (struct vm_field){88, l->family == VM_NMETHOD_ADDRESSES ? 8 : 4};
    l->nm_original_pc = (struct vm_field){96, 4};
    if (l->family == VM_NMETHOD_IMMUTABLE) {
        l->nm_scopes_data = l->nm_scopes_pcs_end = (struct vm_field){56, 4};
        l->nm_immutable_data = (struct vm_field){64, 8};
        l->blob_mutable_data = (struct vm_field){72, 8};
        l->blob_relocation_size = (struct vm_field){80, 4};
    } else {
        l->nm_scopes_pcs_end = (struct vm_field){60, 4};
        l->nm_scopes_data = (struct vm_field){64, l->family == VM_NMETHOD_ADDRESSES ? 8 : 4};
        l->nm_metadata = (struct vm_field){72, 4};
    }
}

static void describe_methods(struct vm_layout *l)
{
    l->method_const = word_at_8;
    l->const_constants = word_at_8;
    l->const_size = (struct vm_field){16, 4};
    l->const_code_size = (struct vm_field){20, 2};
    l->const_name = (struct vm_field){22, 2};
    l->const_signature = (struct vm_field){24, 2};
    l->const_flags = (struct vm_field){28, 4};
    l->const_sizeof = 32;
    l->const_has_line_numbers = 1;
    l->pool_holder = word_at_8;
    l->pool_length = (struct vm_field){16, 4};
    l->pool_sizeof = 24;
    l->klass_name = word_at_8;
    l->symbol_length = (struct vm_field){0, 2};
    l->symbol_body = 6;
}

static void describe_threads(struct vm_layout *l)
{
    l->thread_state = (struct vm_field){16, 4};
    l->thread_anchor = (struct vm_field){32, 8};
    l->anchor_sp = 0;
    l->anchor_pc = 8;
    l->anchor_fp = 16;
    l->wrapper_anchor = 8;
    l->state_new = 2;
    l->state_native = 4;
    l->state_vm = 6;
    l->state_java = 8;
    l->state_blocked = 10;
    l->interpreter_method_slot = frame_slots.method;
    l->interpreter_bcp_slot = frame_slots.bcp;
    l->interpreter_sender_sp_slot = -1;
    l->entry_wrapper_slot = frame_slots.entry_wrapper;
}

void fake_open(enum vm_nmethod_family family, bool excludes_zero)
{
    struct vm_layout *l = &vm_layout;
    if (fake.low)
        munmap((void *)fake.low, fake.high - fake.low);
    void *p = mmap(NULL, FAKE_HEAP_BYTES + FAKE_DATA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        abort();
    fake = (struct fake_jvm){.low = (uintptr_t)p, .heap = (uintptr_t)p};
    fake.high = fake.low + FAKE_HEAP_BYTES + FAKE_DATA_BYTES;
    fake.data = fake.next = fake.heap + FAKE_HEAP_BYTES;
    fake.next_segment = FAKE_INTERPRETER_BYTES >> FAKE_SEGMENT_LOG;
    fake.segmap = fake_alloc(FAKE_HEAP_BYTES >> FAKE_SEGMENT_LOG);
    memset((void *)fake.segmap, 0xff, FAKE_HEAP_BYTES >> FAKE_SEGMENT_LOG);
    fake.code_object = fake_alloc(64);
    *l = (struct vm_layout){.usable = true, .family = family, .unsigned5_excludes_zero = excludes_zero, .heap_count = 1};
    describe_code(l);
    describe_methods(l);
    describe_threads(l);
    fake_set(fake.code_object, l->heap_committed_high, fake.heap + FAKE_HEAP_BYTES / 2);
    l->heaps[0] = (struct vm_heap){fake.code_object, fake.heap, fake.heap + FAKE_HEAP_BYTES, fake.segmap, FAKE_SEGMENT_LOG};
    l->code_low = fake.heap;
    l->code_high = fake.heap + FAKE_HEAP_BYTES;
    l->interpreter_low = fake.heap;
    l->interpreter_high = fake.heap + FAKE_INTERPRETER_BYTES;
}

uintptr_t fake_alloc(size_t bytes)
{
    uintptr_t at = fake.next;
    fake.next = (at + bytes + 7) & ~(uintptr_t)7;
    if (fake.next > fake.high)
        abort();
    return at;
}

uintptr_t fake_copy(const void *bytes, size_t n)
{
    uintptr_t at = fake_alloc(n);
    memcpy((void *)at, bytes, n);
    return at;
}

void fake_set(uintptr_t object, struct vm_field field, uint64_t value)
{
    memcpy((void *)(object + field.offset), &value, field.width); /* little-endian */
}

uintptr_t fake_symbol(const char *text)
{
    size_t n = strlen(text);
    uintptr_t s = fake_alloc(vm_layout.symbol_body + n);
    fake_set(s, vm_layout.symbol_length, n);
    memcpy((void *)(s + vm_layout.symbol_body), text, n);
    return s;
}

uintptr_t fake_class(const char *name)
{
    uintptr_t c = fake_alloc(32);
    fake_set(c, vm_layout.klass_name, fake_symbol(name));
    return c;
}

uintptr_t fake_method(uintptr_t class, const char *name, const char *descriptor, const void *lines, size_t lines_len)
{
    const struct vm_layout *l = &vm_layout;
    enum { CODE_BYTES = 100 };
    uintptr_t method = fake_alloc(32), pool = fake_alloc(l->pool_sizeof + 3 * 8u),
              constant = fake_alloc(l->const_sizeof + CODE_BYTES + lines_len);
    uint64_t *entries = (uint64_t *)(pool + l->pool_sizeof);
    fake_set(method, l->method_const, constant);
    fake_set(constant, l->const_constants, pool);
    fake_set(constant, l->const_code_size, CODE_BYTES);
    fake_set(constant, l->const_name, 1);
    fake_set(constant, l->const_signature, 2);
    fake_set(constant, l->const_flags, lines ? l->const_has_line_numbers : 0);
    fake_set(pool, l->pool_holder, class);
    fake_set(pool, l->pool_length, 3);
    entries[1] = fake_symbol(name);
    entries[2] = fake_symbol(descriptor);
    if (lines)
        memcpy((void *)(constant + l->const_sizeof + CODE_BYTES), lines, lines_len);
    return method;
}

static void mark_segments(uintptr_t first, size_t count)
{
    uint8_t *map = (uint8_t *)fake.segmap;
    for (size_t i = 0; i < count; i++)
        map[first + i] = (uint8_t)(i <= 0xfe ? i : 0xfe);
}

uintptr_t fake_blob(const char *name, size_t code_bytes, uint32_t frame_words, int32_t frame_complete)
{
    const struct vm_layout *l = &vm_layout;
    char text[8] = "";
    size_t bytes = l->block_size + FAKE_BLOB_HEADER + code_bytes;
    size_t segments = (bytes + (1 << FAKE_SEGMENT_LOG) - 1) >> FAKE_SEGMENT_LOG;
    uintptr_t block = fake.heap + (fake.next_segment << FAKE_SEGMENT_LOG), blob = block + l->block_size;
    memcpy(text, name, strnlen(name, 8));
    mark_segments(fake.next_segment, segments);
    fake.next_segment += segments;
    fake_set(block, l->block_length, segments);
    fake_set(block, l->block_used, 1);
    fake_set(blob, l->blob_name, fake_copy(text, 8));
    fake_set(blob, l->blob_size, FAKE_BLOB_HEADER + code_bytes);
    fake_set(blob, l->blob_frame_size, frame_words);
    fake_set(blob, l->blob_frame_complete, (uint64_t)(int64_t)frame_complete);
    fake_set(blob, l->blob_code_begin, blob + FAKE_BLOB_HEADER);
    return blob;
}

void fake_free_blob(uintptr_t blob)
{
    fake_set(blob - vm_layout.block_size, vm_layout.block_used, 0);
}

void fake_debug_info(uintptr_t blob, uintptr_t method, int comp_level, const uint8_t *data, size_t data_len, const struct fake_pcdesc *pcs,
                     size_t pc_count, const uintptr_t *metadata, size_t metadata_count)
{
    const struct vm_layout *l = &vm_layout;
    uintptr_t table = fake_alloc(pc_count * l->pcdesc_size), scopes = fake_copy(data, data_len),
              pointers = fake_copy(metadata, metadata_count * sizeof *metadata);
    for (size_t i = 0; i < pc_count; i++)
        memcpy((void *)(table + i * l->pcdesc_size), &pcs[i], sizeof pcs[i]);
    fake_set(blob, l->nm_method, method);
    fake_set(blob, l->nm_comp_level, (uint64_t)comp_level);
    if (l->family == VM_NMETHOD_IMMUTABLE) {
        enum { BEFORE = 24 };
        fake_set(blob, l->nm_immutable_data, table - BEFORE);
        fake_set(blob, l->nm_scopes_pcs, BEFORE);
        fake_set(blob, l->nm_scopes_data, scopes - table + BEFORE);
        fake_set(blob, l->blob_mutable_data, pointers - 16);
        fake_set(blob, l->blob_relocation_size, 16);
        return;
    }
    fake_set(blob, l->nm_scopes_pcs, table - blob);
    fake_set(blob, l->nm_scopes_pcs_end, table + pc_count * l->pcdesc_size - blob);
    fake_set(blob, l->nm_scopes_data, l->family == VM_NMETHOD_ADDRESSES ? scopes : scopes - blob);
    fake_set(blob, l->nm_metadata, pointers - blob);
}

size_t fake_unsigned5(uint8_t out[5], uint32_t v, bool excludes_zero)
{
    const uint32_t bias = excludes_zero ? 1 : 0, low = 192 - bias;
    size_t n = 0;
    for (; n < 4 && v >= low; n++) {
        v -= low;
        out[n] = (uint8_t)(bias + low + v % 64);
        v /= 64;
    }
    out[n++] = (uint8_t)(bias + v);
    return n;
}
