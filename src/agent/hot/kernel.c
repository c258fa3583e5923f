#include "agent/hot/kernel.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

/* Reads a word of the ring. Its size, data_size, is one page. Records wrap at its end, in whole words. */
static uint64_t word_at(const struct perf_event_mmap_page *page, uint64_t offset)
{
    uint64_t v;
    memcpy(&v, (const char *)page + page->data_offset + (offset & (page->data_size - 1)), sizeof v);
    return v;
}

/* Reads a sample. After its header come the number of addresses and the addresses. Some of them are marks that show whose frames follow. */
static uint32_t take_sample(const struct perf_event_mmap_page *page, uint64_t at, uint64_t end, uint64_t *frames)
{
    uint32_t taken = 0;
    uint64_t count = word_at(page, at + 8);
    at += 16;
    for (uint64_t i = 0; i < count && at + 8 <= end && taken < KERNEL_FRAMES_MAX; i++, at += 8) {
        uint64_t pc = word_at(page, at);
        if (pc < (uint64_t)PERF_CONTEXT_MAX)
            frames[taken++] = pc;
    }
    return taken;
}

uint32_t kernel_frames(uintptr_t ring, uint64_t frames[KERNEL_FRAMES_MAX])
{
    struct perf_event_mmap_page *page = (struct perf_event_mmap_page *)ring;
    uint32_t taken = 0;
    if (!ring)
        return 0;
    /* Acquire: pairs with the kernel's barrier between the records and their head. */
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at = page->data_tail;
    while (head - at >= sizeof(struct perf_event_header) && head - at <= page->data_size) {
        struct perf_event_header header;
        uint64_t first = word_at(page, at);
        memcpy(&header, &first, sizeof header);
        if (header.size < sizeof header || header.size > head - at)
            break;
        if (header.type == PERF_RECORD_SAMPLE)
            taken = take_sample(page, at, at + header.size, frames);
        at += header.size;
    }
    /* Release: the kernel may write over what has been read. */
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
    return taken;
}
