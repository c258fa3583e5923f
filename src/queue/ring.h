/* Rings of slots in chunks: `slots` atomic words and a link after them. For the chunked queues. */
#ifndef CANDOR_QUEUE_RING_H
#define CANDOR_QUEUE_RING_H

#include <stdint.h>

/* The number of slots of a ring in a chunk of so many words: the largest power of two that leaves a word for the link. 0 if there is
 * no room for two slots and a link. */
static inline uint64_t ring_slots(uint32_t chunk_words)
{
    return chunk_words < 3 ? 0 : (uint64_t)1 << (31 - __builtin_clz(chunk_words - 1));
}

/* Relaxed: a ring is published by the JUMP that leads to it, or by who makes it known to other producers. */
static inline void ring_clear(uint64_t *ring, uint64_t slots)
{
    for (uint64_t i = 0; i < slots; i++)
        __atomic_store_n(&ring[i], 0, __ATOMIC_RELAXED);
}

/* The link is plain: written before the JUMP is released, read after it was acquired, by one thread each. */
static inline void ring_link(uint64_t *ring, uint64_t slots, const uint64_t *next)
{
    ring[slots] = (uint64_t)(uintptr_t)next;
}

static inline uint64_t *ring_next(const uint64_t *ring, uint64_t slots)
{
    return (uint64_t *)(uintptr_t)ring[slots];
}

#endif
