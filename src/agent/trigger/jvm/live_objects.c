#include "agent/trigger/jvm/live_objects.h"

#include "agent/hotspot/collections.h"

struct live_objects live_objects;
struct live_pauses live_pauses = {.used = UINT64_MAX};

uint32_t live_collections(void)
{
    uint32_t begun = collections_begun();
    /* Relaxed, because no other memory depends on it. */
    return begun ? begun : (uint32_t)atomic_load_explicit(&live_pauses.count, memory_order_relaxed);
}

void live_pauses_add(uint64_t ended_ns, uint64_t used)
{
    /* Relaxed, because no other memory depends on these numbers. A reader that resets the value in between gets this one next time. */
    if (used && used < atomic_load_explicit(&live_pauses.used, memory_order_relaxed))
        atomic_store_explicit(&live_pauses.used, used, memory_order_relaxed);
    atomic_store_explicit(&live_pauses.ended_ns, ended_ns, memory_order_relaxed);
    /* Release: pairs with the reader's acquire, which then sees the time of this pause, or of a later one. */
    atomic_fetch_add_explicit(&live_pauses.count, 1, memory_order_release);
}
