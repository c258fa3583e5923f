/*
 * What one record of 64 words costs its producer: the queue, word by word and in bulk, compared with a plain memcpy ring.
 *
 * Batches of all three are interleaved in one thread; the consumer empties each between batches, untimed. Printed is the median batch in
 * ns per record and the ratio to the ring. The ring is the lower limit: it has a fixed slot per record and no pool.
 */
#include "candor/queue.h"

#include "base/time_units.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORDS  64
#define BATCH  128 /* records; both sides hold them all */
#define ROUNDS 4001

/* Single producer, single consumer, slots of one record each: the least work that still passes data on. */
struct ring {
    _Atomic(uint64_t) tail;
    uint64_t slots[BATCH][WORDS];
};

static struct ring ring;
static struct candor_queue q;
static uint64_t record[WORDS], out[WORDS];

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void push_ring(void)
{
    uint64_t tail = atomic_load_explicit(&ring.tail, memory_order_relaxed); /* the producer's own */

    memcpy(ring.slots[tail % BATCH], record, sizeof record);
    atomic_store_explicit(&ring.tail, tail + 1, memory_order_release); /* pairs with the acquire of a consumer */
}

static void push_words(void)
{
    candor_queue_begin(&q);
    for (int i = 0; i < WORDS; i++)
        candor_queue_put(&q, record[i]);
    candor_queue_commit(&q);
}

static void push_bulk(void)
{
    candor_queue_begin(&q);
    candor_queue_put_words(&q, record, WORDS);
    candor_queue_commit(&q);
}

static const struct {
    const char *name;
    void (*push)(void);
} ways[] = {{"memcpy ring", push_ring}, {"queue, put", push_words}, {"queue, put_words", push_bulk}};
#define WAYS (sizeof ways / sizeof *ways)

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(void)
{
    static double ns[WAYS][ROUNDS];
    uint32_t chunks = BATCH * (WORDS + 1) / 511 + 2;
    struct candor_pool pool;
    double floor_ns;

    if (candor_pool_init(&pool, aligned_alloc(4096, (candor_pool_bytes(chunks, 512) + 4095) & ~(size_t)4095), chunks, 512))
        return 1;
    candor_queue_init(&q, &pool);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t w = 0; w < WAYS; w++) {
            uint64_t start = now_ns();

            for (int i = 0; i < BATCH; i++)
                ways[w].push();
            ns[w][round] = (double)(now_ns() - start) / BATCH;
            while (candor_queue_read(&q, out, WORDS) > 0)
                ;
        }
    }
    for (size_t w = 0; w < WAYS; w++)
        qsort(ns[w], ROUNDS, sizeof **ns, compare);
    floor_ns = ns[0][ROUNDS / 2];
    printf("%-18s %8s %8s %8s %7s\n", "record of 64 words", "p10 ns", "p50 ns", "p90 ns", "ratio");
    for (size_t w = 0; w < WAYS; w++)
        printf("%-18s %8.1f %8.1f %8.1f %7.2f\n", ways[w].name, ns[w][ROUNDS / 10], ns[w][ROUNDS / 2], ns[w][ROUNDS * 9 / 10],
               ns[w][ROUNDS / 2] / floor_ns);
    return 0;
}
