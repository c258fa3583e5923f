#include "agent/hotspot/collections.h"

#include "agent/hot/load.h"
#include "agent/hotspot/flags.h"
#include "agent/hotspot/vmstructs.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/*  head   magic ca fe c0 c0 | order | major | minor | accessible
 *         used:4 overflow:4 modified:8 first_entry:4 entries:4
 *  entry  length:4 name_offset:4 vector_length:4 type:1 flags:1 unit:1 variability:1 data_offset:4 ... */
enum { USED = 8, FIRST_ENTRY = 24, ENTRIES = 28, ENTRY = 20, TYPE_LONG = 'J', ENTRIES_MAX = 1 << 13, PLACES_MAX = 32 };
static const uint32_t magic = 0xc0c0feca; /* as a processor of either kind that we run on reads it */

/* Where numbers lie that are to be added up. */
struct places {
    uintptr_t at[PLACES_MAX];
    uint32_t count;
};

static struct {
    uintptr_t begun;
    const uintptr_t *start;
    bool is_concurrent, has_generations;
    struct places used, of_old;
} numbers;

static void add_place(struct places *p, uintptr_t at)
{
    if (p->count < PLACES_MAX)
        p->at[p->count++] = at;
}

static uint64_t sum(const struct places *p)
{
    uint64_t total = 0, value;
    for (uint32_t i = 0; i < p->count; i++)
        if (load_u64(p->at[i], &value) && value < (UINT64_C(1) << 62))
            total += value;
    return total;
}

/* Collector 0 is that of young objects where there is another. */
static void take_entry(const char *name, uintptr_t value)
{
    unsigned generation, space, collector;
    int end = 0;
    if (sscanf(name, "sun.gc.generation.%u.space.%u.used%n", &generation, &space, &end) == 2 && end && !name[end])
        add_place(&numbers.used, value);
    end = 0;
    if (sscanf(name, "sun.gc.collector.%u.invocations%n", &collector, &end) == 1 && end && !name[end] &&
        (collector || !numbers.has_generations))
        add_place(&numbers.of_old, value);
}

static bool read_entry(uintptr_t at, uint32_t room, uint32_t *length)
{
    uint32_t name, data;
    uint8_t type;
    char text[64];
    if (!load_u32(at, length) || *length < ENTRY || *length > room || !load_u32(at + 4, &name) || !load_u8(at + 12, &type) ||
        !load_u32(at + 16, &data))
        return false;
    if (type != TYPE_LONG || name >= *length || data > *length - sizeof(uint64_t))
        return true;
    size_t longest = *length - name < sizeof text - 1 ? *length - name : sizeof text - 1;
    for (size_t i = 0; i < longest; i++) {
        uint8_t c;
        if (!load_u8(at + name + i, &c))
            return false;
        text[i] = (char)c;
        if (!c)
            break;
    }
    text[longest] = 0;
    take_entry(text, at + data);
    return true;
}

static void read_entries(uintptr_t base)
{
    uint32_t found, used, at, entries, length;
    if (!load_u32(base, &found) || found != magic || !load_u32(base + USED, &used) || !load_u32(base + FIRST_ENTRY, &at) ||
        !load_u32(base + ENTRIES, &entries))
        return;
    for (uint32_t n = 0; n < entries && n < ENTRIES_MAX && at < used && used - at >= ENTRY; n++) {
        if (!read_entry(base + at, used - at, &length))
            return;
        at += length;
    }
}

void collections_fill(void *libjvm)
{
    struct vmstructs v;
    struct vm_field count;
    if (!vmstructs_open(&v, libjvm))
        return;
    const uintptr_t *heap = vmstructs_static(&v, "Universe", "_collectedHeap");
    if (heap && *heap && vmstructs_field(&v, "CollectedHeap", "_total_collections", &count) && count.width == 4)
        numbers.begun = *heap + count.offset;
    numbers.start = vmstructs_static(&v, "PerfMemory", "_start");
    bool is_shenandoah = flags_get(libjvm, "UseShenandoahGC", false), is_z = flags_get(libjvm, "UseZGC", false);
    numbers.is_concurrent = is_shenandoah || is_z;
    /* ZGC without generations has its one collector under another number, but up to JDK 14. */
    numbers.has_generations = !is_shenandoah && !(is_z && !flags_get(libjvm, "ZGenerational", false));
}

void collections_open(uintptr_t start)
{
    const uintptr_t *at = numbers.start ? numbers.start : (const uintptr_t *)start;
    numbers.used.count = numbers.of_old.count = 0;
    if (at && *at)
        read_entries(*at);
}

bool collections_are_concurrent(void)
{
    return numbers.is_concurrent;
}

uint32_t collections_begun(void)
{
    uint32_t count;
    return numbers.begun && load_u32(numbers.begun, &count) ? count : 0;
}

uint64_t collections_heap_used(void)
{
    return sum(&numbers.used);
}

bool collections_of_old(uint64_t *count)
{
    *count = sum(&numbers.of_old);
    return numbers.of_old.count > 0;
}
