/* Rings of slots in chunks, for the chunked queues: `slots` atomic words, followed by a link. */
#ifndef CANDOR_QUEUE_RING_H
#define CANDOR_QUEUE_RING_H

#include <stdint.h>

/* Returns the number of slots of a ring in a chunk of chunk_words words: the largest power of two that leaves a word for the link. 0 if
 * there is no room for two slots and a link. */
static inline uint64_t ring_slots(uint32_t chunk_words)
{
    return chunk_words < 3 ? 0 : (uint64_t)1 << (31 - __builtin_clz(chunk_words - 1));
}

/* Empties all slots. Relaxed: a ring is published by the JUMP that leads to it, or by the producer that makes it known to other
 * producers. */
static inline void ring_clear(uint64_t *ring, uint64_t slots)
{
    for (uint64_t i = 0; i < slots; i++)
        __atomic_store_n(&ring[i], 0, __ATOMIC_RELAXED);
}

/* Links a ring to the next one. The link is plain memory. One thread writes it before the JUMP is released, and one thread reads it
 * after the JUMP was acquired. */
static inline void ring_link(uint64_t *ring, uint64_t slots, const uint64_t *next)
{
    ring[slots] = (uint64_t)(uintptr_t)next;
}

static inline uint64_t *ring_next(const uint64_t *ring, uint64_t slots)
{
    return (uint64_t *)(uintptr_t)ring[slots];
}

#endif
