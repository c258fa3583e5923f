#include "agent/hotspot/collections.h"

#include "agent/hot/layout.h"
#include "agent/hot/load.h"
#include "agent/hotspot/counters.h"
#include "agent/hotspot/flags.h"
#include "agent/hotspot/vmstructs.h"

#include <stddef.h>

/* Since this version ZGC always has generations, without a flag (JEP 490). */
enum { Z_GENERATIONS_ALWAYS = 24 };

static struct {
    uintptr_t begun; /* address of the number; 0 = unknown */
    bool is_concurrent, has_generations;
} facts;

void collections_fill(void *libjvm)
{
    struct vmstructs v;
    struct vm_field count;
    if (!vmstructs_open(&v, libjvm))
        return;
    const uintptr_t *heap = vmstructs_static(&v, "Universe", "_collectedHeap");
    if (heap && *heap && vmstructs_field(&v, "CollectedHeap", "_total_collections", &count) && count.width == 4)
        facts.begun = *heap + count.offset;
    bool is_shenandoah = flags_get(libjvm, "UseShenandoahGC", false), is_z = flags_get(libjvm, "UseZGC", false);
    bool z_has_generations = flags_get(libjvm, "ZGenerational", vm_layout.java_version >= Z_GENERATIONS_ALWAYS);
    facts.is_concurrent = is_shenandoah || is_z;
    /* ZGC without generations has only one collector. Its number up to JDK 14 differs from its number in later versions, so all numbers are
     * counted. */
    facts.has_generations = !is_shenandoah && !(is_z && !z_has_generations);
}

bool collections_are_concurrent(void)
{
    return facts.is_concurrent;
}

uint32_t collections_begun(void)
{
    uint32_t count;
    return facts.begun && load_u32(facts.begun, &count) ? count : 0;
}

/* Values that cannot be a size of memory are ignored. */
uint64_t collections_heap_used(void)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < counters.space_count; i++) {
        uint64_t used = counters_value(counters.spaces_used[i]);
        total += used < UINT64_C(1) << 62 ? used : 0;
    }
    return total;
}

/* If there are two collectors, collector 0 is the one for young objects. */
bool collections_of_old(uint64_t *count)
{
    bool is_told = false;
    *count = 0;
    for (int i = facts.has_generations; i < COUNTERS_COLLECTORS; i++) {
        *count += counters_value(counters.collectors[i].collections);
        is_told |= counters.collectors[i].collections != NULL;
    }
    return is_told;
}
