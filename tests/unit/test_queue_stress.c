/*
 * The queue between threads: one producer and a consumer that shrinks at random, then four producers that share one small pool. Every
 * record arrives whole and in order, or its commit failed. test_queue_tsan runs this program again, compiled for ThreadSanitizer.
 *
 * tier: quick
 * timeout: 120
 * aarch64: yes
 */
#include "../tap.h"

#include "candor/queue.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_THREAD__
#define RECORDS 50000
#else
#define RECORDS 300000
#endif
#define MAX_QUEUES 4
#define MAX_WORDS  2100

struct lane {
    struct candor_queue q;
    unsigned index;
    _Atomic(bool) done;
    /* written by the producer, read after `done` */
    uint64_t accepted, refused;
    /* the consumer's */
    uint64_t delivered, next, shrunk;
    bool damaged;
};

static struct lane lanes[MAX_QUEUES];
static uint64_t words[MAX_WORDS];

static uint64_t scramble(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15ULL;
    return x ^ x >> 29;
}

/* Mostly short records, sometimes of several chunks. */
static size_t length_of(uint64_t sequence)
{
    uint64_t dice = scramble(sequence);

    return dice % 256 == 0 ? 1 + (dice >> 32) % MAX_WORDS : 1 + (dice >> 32) % 40;
}

static void *produce(void *argument)
{
    struct lane *lane = argument;

    for (uint64_t n = 1; n <= RECORDS; n++) {
        size_t length = length_of(n);

        candor_queue_begin(&lane->q);
        for (size_t i = 0; i < length; i++)
            candor_queue_put(&lane->q, n + i);
        if (n % 50 == 0) {
            candor_queue_abort(&lane->q);
            lane->refused++;
        } else if (candor_queue_commit(&lane->q)) {
            lane->accepted++;
        } else {
            lane->refused++;
            sched_yield();
        }
    }
    /* Release: pairs with the acquire in consume_all. */
    atomic_store_explicit(&lane->done, true, memory_order_release);
    return NULL;
}

static bool consume_one(struct lane *lane)
{
    size_t length = candor_queue_read(&lane->q, words, MAX_WORDS);

    if (length == 0)
        return false;
    lane->damaged |= length > MAX_WORDS || words[0] < lane->next || length != length_of(words[0]);
    for (size_t i = 0; i < length && !lane->damaged; i++)
        lane->damaged = words[i] != words[0] + i;
    lane->next = words[0] + 1;
    lane->delivered++;
    return true;
}

static void consume_all(unsigned count)
{
    uint64_t round = 0;
    unsigned left;

    do {
        left = count;
        for (unsigned i = 0; i < count; i++) {
            struct lane *lane = &lanes[i];
            /* Acquire: pairs with the release in produce; read before the queue, so that the last record is seen. */
            bool done = atomic_load_explicit(&lane->done, memory_order_acquire);
            uint64_t dice = scramble(++round);
            unsigned budget = dice % 2 ? RECORDS : (unsigned)(dice >> 32) % 64; /* sometimes it leaves some records in the queue */

            while (budget > 0 && consume_one(lane))
                budget--;
            if (dice % 3 == 0)
                lane->shrunk += candor_queue_shrink(&lane->q);
            left -= done && candor_queue_peek(&lane->q) == 0;
        }
        if (round % 16 == 0)
            sched_yield();
    } while (left > 0);
}

static void run(unsigned count, uint32_t chunks, uint32_t chunk_words)
{
    void *memory = aligned_alloc(4096, (candor_pool_bytes(chunks, chunk_words) + 4095) & ~(size_t)4095);
    struct candor_pool pool;
    pthread_t threads[MAX_QUEUES];
    uint64_t accepted = 0, refused = 0, delivered = 0, shrunk = 0;
    bool damaged = false;

    candor_pool_init(&pool, memory, chunks, chunk_words);
    memset(lanes, 0, sizeof lanes);
    for (unsigned i = 0; i < count; i++) {
        candor_queue_init(&lanes[i].q, &pool);
        pthread_create(&threads[i], NULL, produce, &lanes[i]);
    }
    consume_all(count);
    for (unsigned i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        accepted += lanes[i].accepted;
        refused += lanes[i].refused;
        delivered += lanes[i].delivered;
        shrunk += lanes[i].shrunk;
        damaged |= lanes[i].damaged;
        candor_queue_deinit(&lanes[i].q);
    }
    tap_ok(!damaged, "%u queues, %u chunks of %u words: records arrive whole and in order", count, chunks, chunk_words);
    tap_ok(delivered == accepted && accepted + refused == (uint64_t)count * RECORDS,
           "... all %llu that were accepted (%llu refused or aborted, %llu shrinks)", (unsigned long long)accepted,
           (unsigned long long)refused, (unsigned long long)shrunk);
    tap_ok(accepted > 0 && candor_pool_in_use(&pool) == 0, "... and the pool is whole");
    free(memory);
}

int main(void)
{
    run(1, 64, 512);
    run(1, 5, 64);
    run(4, 12, 256);
    run(4, 200, 16);
    return tap_done();
}
