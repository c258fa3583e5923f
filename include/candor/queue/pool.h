/*
 * Chunks of fixed size in the caller's memory, which any number of queues and threads share: a bitmap of the taken ones.
 *
 *     | bitmaps | chunk 0 | chunk 1 | chunk 2 | ...
 *
 * Progress    every call but init is wait-free, in control and in progress. Takers pass over what others take at the same time.
 * Signals     every call but init may be made in a handler, whatever it interrupts.
 */
#ifndef CANDOR_QUEUE_POOL_H
#define CANDOR_QUEUE_POOL_H

#include "candor/queue/common.h"

#ifdef __cplusplus
extern "C" {
typedef uint64_t candor_atomic_u64; /* storage only: the library alone touches it */
#else
typedef _Atomic(uint64_t) candor_atomic_u64;
#endif

/* Chunks in memory of the caller. Lowest free chunk first, so that untouched memory stays untouched. The fields are
 * constant after init; the bitmaps stand at the start of the memory, one bit per chunk. */
struct candor_pool {
    candor_atomic_u64 *taken;   /* written by whoever takes and gives; a set bit belongs to someone */
    candor_atomic_u64 *touched; /* written by takers; set once and forever */
    uint64_t *chunks;
    uint32_t chunk_count;
    uint32_t chunk_words;
};

/* Bytes of memory that hold a pool of `chunk_count` chunks of `chunk_words` words each. */
size_t candor_pool_bytes(uint32_t chunk_count, uint32_t chunk_words);

/* Owner. `memory` is candor_pool_bytes() long, aligned to 8 bytes, the caller's, and must outlive all use of the pool;
 * chunks of a power of two bytes are aligned to their size (at most 4096) in page-aligned memory. Only the bitmaps are
 * written. A chunk holds chunk_words - 1 words of records: 2 is the least, a page (512) a good size.
 * 0, or -EINVAL for no chunk, chunks of less than 2 words or misaligned memory. */
int candor_pool_init(struct candor_pool *pool, void *memory, uint32_t chunk_count, uint32_t chunk_words);

/* Anyone. Takes the lowest free chunk, whose content is arbitrary. NULL when no chunk is free. It is also NULL, although
 * some are free, when 16 attempts on each group of 64 chunks failed because other threads took or returned chunks: the
 * number of attempts is bounded. */
uint64_t *candor_pool_take(struct candor_pool *pool);

/* Anyone who took it. Gives a chunk back. */
void candor_pool_give(struct candor_pool *pool, uint64_t *chunk);

/* Anyone. Chunks taken at present: exact when nobody takes or gives meanwhile. */
uint32_t candor_pool_in_use(const struct candor_pool *pool);

/* Anyone. The number of chunks that were ever taken; the memory of these is resident. Because the lowest free chunk is
 * taken first, it is also the largest number that was ever taken at the same time (exactly so if threads do not race to
 * take one). */
uint32_t candor_pool_high_water(const struct candor_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
