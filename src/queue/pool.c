/* The pool of chunks: a bitmap of taken chunks, searched from the lowest chunk. A second bitmap shows which chunks were ever touched. */
#include "candor/queue/pool.h"

#include <errno.h>
#include <stdatomic.h>

/* The number of attempts for each word of the bitmap, before a taker proceeds to the next 64 chunks. It bounds the steps of
 * candor_pool_take. */
#define POOL_ATTEMPTS 16

static uint32_t bitmap_words(uint32_t chunk_count)
{
    return chunk_count / 64 + (chunk_count % 64 != 0);
}

/* Returns the offset of the chunks in bytes. They come after both bitmaps, and are aligned to the largest power of two that divides
 * their size, at most a page. */
static size_t chunks_offset(uint32_t chunk_count, uint32_t chunk_words)
{
    size_t chunk_bytes = (size_t)chunk_words * sizeof(uint64_t);
    size_t align = chunk_bytes & -chunk_bytes;

    if (align > 4096)
        align = 4096;
    return (2 * bitmap_words(chunk_count) * sizeof(uint64_t) + align - 1) & -align;
}

size_t candor_pool_bytes(uint32_t chunk_count, uint32_t chunk_words)
{
    return chunks_offset(chunk_count, chunk_words) + (size_t)chunk_count * chunk_words * sizeof(uint64_t);
}

int candor_pool_init(struct candor_pool *pool, void *memory, uint32_t chunk_count, uint32_t chunk_words)
{
    uint32_t words = bitmap_words(chunk_count);

    if (chunk_count == 0 || chunk_words < 2 || !memory || (uintptr_t)memory % sizeof(uint64_t) != 0)
        return -EINVAL;
    pool->taken = memory;
    pool->touched = pool->taken + words;
    pool->chunks = (uint64_t *)((char *)memory + chunks_offset(chunk_count, chunk_words));
    pool->chunk_count = chunk_count;
    pool->chunk_words = chunk_words;
    for (uint32_t i = 0; i < words; i++) {
        atomic_init(&pool->taken[i], 0);
        atomic_init(&pool->touched[i], 0);
    }
    if (chunk_count % 64 != 0) /* chunks that do not exist are taken forever */
        atomic_init(&pool->taken[words - 1], ~0ULL << chunk_count % 64);
    return 0;
}

/* Marks a chunk as touched. Relaxed, both: the bitmap of touched chunks is only for counting, and hands nothing over. After the chunk
 * was touched once, the load avoids a locked instruction on the hot path. */
static void touch(candor_atomic_u64 *touched, uint64_t bit)
{
    if (!(atomic_load_explicit(touched, memory_order_relaxed) & bit))
        atomic_fetch_or_explicit(touched, bit, memory_order_relaxed);
}

uint64_t *candor_pool_take(struct candor_pool *pool)
{
    uint32_t words = bitmap_words(pool->chunk_count);

    for (uint32_t i = 0; i < words; i++) {
        /* Relaxed: a guess, which the exchange checks. */
        uint64_t taken = atomic_load_explicit(&pool->taken[i], memory_order_relaxed);

        for (int attempt = 0; attempt < POOL_ATTEMPTS && taken != UINT64_MAX; attempt++) {
            uint64_t bit = ~taken & (taken + 1);

            /* Acquire: pairs with the release in candor_pool_give, so that all accesses of the chunk's last owner precede the writes of
             * the next one. Relaxed on failure: the value is only a better guess. */
            if (atomic_compare_exchange_strong_explicit(&pool->taken[i], &taken, taken | bit, memory_order_acquire, memory_order_relaxed)) {
                touch(&pool->touched[i], bit);
                return pool->chunks + ((size_t)i * 64 + (size_t)__builtin_ctzll(bit)) * pool->chunk_words;
            }
        }
    }
    return NULL;
}

void candor_pool_give(struct candor_pool *pool, uint64_t *chunk)
{
    size_t i = (size_t)(chunk - pool->chunks) / pool->chunk_words;

    /* Release: pairs with the acquire in candor_pool_take. Other takers and givers of the same word may come between. Their operations
     * are read-modify-writes, so they continue the release sequence. */
    atomic_fetch_and_explicit(&pool->taken[i / 64], ~(1ULL << i % 64), memory_order_release);
}

/* Counts the set bits. __builtin_popcountll is not used, because without the instruction it is a call into libgcc. */
static uint32_t count_bits(const candor_atomic_u64 *bitmap, uint32_t words)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < words; i++) {
        /* Relaxed: the bits are independent, and no other data is read because of them. */
        for (uint64_t left = atomic_load_explicit(&bitmap[i], memory_order_relaxed); left; left &= left - 1)
            bits++;
    }
    return bits;
}

uint32_t candor_pool_in_use(const struct candor_pool *pool)
{
    uint32_t words = bitmap_words(pool->chunk_count);

    return count_bits(pool->taken, words) - (words * 64 - pool->chunk_count);
}

uint32_t candor_pool_high_water(const struct candor_pool *pool)
{
    return count_bits(pool->touched, bitmap_words(pool->chunk_count));
}
