/*
 * Chunks of fixed size in the caller's memory, which any number of queues and threads share. A bitmap shows the taken chunks.
 *
 *     | bitmaps | chunk 0 | chunk 1 | chunk 2 | ...
 *
 * Progress    every call but init is wait-free, in control and in progress. Concurrent takers skip chunks that others take.
 * Signals     every call but init may be made in a handler, whatever the handler interrupts.
 */
#ifndef CANDOR_QUEUE_POOL_H
#define CANDOR_QUEUE_POOL_H

#include "candor/queue/common.h"

#ifdef __cplusplus
extern "C" {
typedef uint64_t candor_atomic_u64; /* storage only: only the library accesses it */
#else
typedef _Atomic(uint64_t) candor_atomic_u64;
#endif

/* A pool of chunks in the caller's memory. The lowest free chunk is taken first, so that untouched memory stays untouched. The fields
 * are constant after init. The bitmaps are at the start of the memory, with one bit for each chunk. */
struct candor_pool {
    candor_atomic_u64 *taken;   /* written by takers and givers; a set bit means that the chunk is taken */
    candor_atomic_u64 *touched; /* written by takers; a bit is set once and stays set */
    uint64_t *chunks;
    uint32_t chunk_count;
    uint32_t chunk_words;
};

/* Returns the bytes of memory for a pool of `chunk_count` chunks of `chunk_words` words each. */
size_t candor_pool_bytes(uint32_t chunk_count, uint32_t chunk_words);

/* Owner. Initializes a pool. `memory` is candor_pool_bytes() long and aligned to 8 bytes. The caller owns it, and it must outlive all
 * use of the pool. In page-aligned memory, chunks whose size in bytes is a power of two are aligned to their size (at most 4096). Only
 * the bitmaps are written. A chunk holds chunk_words - 1 words of records: 2 is the minimum, a page (512) a good size. Returns 0, or
 * -EINVAL for no chunk, chunks of less than 2 words or misaligned memory. */
int candor_pool_init(struct candor_pool *pool, void *memory, uint32_t chunk_count, uint32_t chunk_words);

/* Anyone. Takes the lowest free chunk, whose content is arbitrary. Returns NULL if no chunk is free. It also returns NULL, although some
 * chunks are free, if 16 attempts on each group of 64 chunks failed because other threads took or returned chunks: the number of
 * attempts is bounded. */
uint64_t *candor_pool_take(struct candor_pool *pool);

/* The thread that took the chunk, or to which it was handed over. Gives a chunk back. */
void candor_pool_give(struct candor_pool *pool, uint64_t *chunk);

/* Anyone. Returns the number of chunks that are taken at present. It is exact if no thread takes or gives a chunk meanwhile. */
uint32_t candor_pool_in_use(const struct candor_pool *pool);

/* Anyone. Returns the number of chunks that were ever taken. Their memory is resident. Because the lowest free chunk is taken first, it
 * is also the largest number that was ever taken at the same time (exactly so if threads do not race to take one). */
uint32_t candor_pool_high_water(const struct candor_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
