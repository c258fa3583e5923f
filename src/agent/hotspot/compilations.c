#include "agent/hotspot/compilations.h"

#include "agent/hot/java/code.h"
#include "agent/hot/layout.h"
#include "agent/hot/load.h"

/* Returns the number of the nmethod whose block begins at this segment, or 0. *segments: how far to go to the next segment. */
static uint64_t look_at(const struct vm_heap *h, uintptr_t block, uint64_t *segments)
{
    uint64_t length, compilation;
    const uintptr_t blob = block + vm_layout.block_size;
    const struct code c = code_find(blob);
    *segments = 1;
    if (c.blob != blob)
        return 0;
    if (load_field(block, vm_layout.block_length, &length) && length && length < (h->reserved_high - block) >> h->log2_segment)
        *segments = length;
    return c.kind == CODE_NMETHOD && load_field(blob, vm_layout.nm_compile_id, &compilation) ? compilation : 0;
}

uint64_t compilations_newest(void)
{
    uint64_t newest = 0;
    for (int i = 0; i < vm_layout.heap_count; i++) {
        const struct vm_heap *h = &vm_layout.heaps[i];
        uint64_t high, segments;
        if (!load_field(h->object, vm_layout.heap_committed_high, &high))
            continue;
        for (uintptr_t at = h->low; at < high; at += segments << h->log2_segment) {
            uint64_t compilation = look_at(h, at, &segments);
            newest = compilation > newest ? compilation : newest;
        }
    }
    return newest;
}
