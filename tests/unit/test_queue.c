/*
 * The record queue and its pool, with one thread: records that start, end, cross into the next chunk, or find the pool empty at every
 * possible place; shrinking; reuse; many queues on one pool, compared with a reference.
 *
 * tier: quick
 * timeout: 60
 * aarch64: yes
 */
#include "../tap.h"

#include "candor/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK     8           /* words per chunk in most tests */
#define PAYLOAD   (CHUNK - 1) /* of which hold records */
#define MAX_WORDS 4096

static uint64_t words[MAX_WORDS];

static void make_pool(struct candor_pool *pool, uint32_t chunks, uint32_t chunk_words)
{
    size_t bytes = candor_pool_bytes(chunks, chunk_words);
    void *memory = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);

    memset(memory, 0xa5, bytes); /* memory need not be zero */
    if (candor_pool_init(pool, memory, chunks, chunk_words) != 0)
        abort();
}

static void free_pool(struct candor_pool *pool)
{
    free((void *)pool->taken);
}

static uint64_t word_of(uint64_t seed, size_t i)
{
    return seed * 0x9e3779b97f4a7c15ULL + i;
}

static bool push(struct candor_queue *q, uint64_t seed, size_t length)
{
    candor_queue_begin(q);
    for (size_t i = 0; i < length; i++)
        candor_queue_put(q, word_of(seed, i));
    return candor_queue_commit(q);
}

static bool pop(struct candor_queue *q, uint64_t seed, size_t length)
{
    if (candor_queue_peek(q) != length || candor_queue_read(q, words, MAX_WORDS) != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (words[i] != word_of(seed, i))
            return false;
    }
    return true;
}

static bool is_empty(struct candor_queue *q)
{
    return candor_queue_peek(q) == 0 && candor_queue_read(q, words, MAX_WORDS) == 0;
}

static void test_pool(void)
{
    static const uint32_t counts[] = {1, 63, 64, 65, 128, 130};
    struct candor_pool pool;
    uint64_t memory[64];

    tap_ok(candor_pool_init(&pool, memory, 0, 8) == -EINVAL, "pool: no chunk is refused");
    tap_ok(candor_pool_init(&pool, memory, 4, 1) == -EINVAL, "pool: a chunk without payload is refused");
    tap_ok(candor_pool_init(&pool, (char *)memory + 4, 4, 8) == -EINVAL, "pool: misaligned memory is refused");
    tap_ok(candor_pool_init(&pool, NULL, 4, 8) == -EINVAL, "pool: no memory is refused");
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        uint32_t n = counts[k];
        bool in_order = true;

        make_pool(&pool, n, CHUNK);
        for (uint32_t i = 0; i < n; i++)
            in_order &= candor_pool_take(&pool) == pool.chunks + (size_t)i * CHUNK && candor_pool_in_use(&pool) == i + 1;
        tap_ok(in_order, "pool of %u: chunks come lowest first and are counted", n);
        tap_ok(candor_pool_take(&pool) == NULL && candor_pool_in_use(&pool) == n, "pool of %u: then it is empty", n);
        tap_ok((char *)(pool.chunks + (size_t)n * CHUNK) == (char *)pool.taken + candor_pool_bytes(n, CHUNK),
               "pool of %u: the last chunk ends where the memory does", n);
        candor_pool_give(&pool, pool.chunks + (size_t)(n - 1) * CHUNK);
        candor_pool_give(&pool, pool.chunks + (size_t)(n / 2) * CHUNK);
        tap_ok(candor_pool_take(&pool) == pool.chunks + (size_t)(n / 2) * CHUNK, "pool of %u: the lowest free again", n);
        free_pool(&pool);
    }
    make_pool(&pool, 130, 512);
    tap_ok((uintptr_t)pool.chunks % 4096 == 0, "pool: chunks of a page are pages");
    for (int i = 0; i < 1000; i++)
        candor_pool_give(&pool, candor_pool_take(&pool));
    tap_ok(candor_pool_high_water(&pool) == 1 && candor_pool_in_use(&pool) == 0, "pool: one at a time touches one chunk");
    free_pool(&pool);
}

/* Each length at each place in a chunk, over up to five chunks. */
static void test_placement(void)
{
    struct candor_pool pool;
    struct candor_queue q;
    bool delivered = true, one_chunk = true, none_left = true;

    make_pool(&pool, 8, CHUNK);
    for (size_t before = 0; before < 2 * PAYLOAD; before++) {
        for (size_t length = 1; length <= 5 * PAYLOAD; length++) {
            candor_queue_init(&q, &pool);
            delivered &= before == 0 || push(&q, 1, before);
            delivered &= push(&q, 2, length) && push(&q, 3, 1);
            delivered &= before == 0 || pop(&q, 1, before);
            delivered &= pop(&q, 2, length) && pop(&q, 3, 1) && is_empty(&q);
            one_chunk &= candor_pool_in_use(&pool) == 1;
            none_left &= candor_queue_shrink(&q) && candor_pool_in_use(&pool) == 0;
            candor_queue_deinit(&q);
        }
    }
    tap_ok(delivered, "records of 1 to %d words, at every place in a chunk, arrive whole and in order", 5 * PAYLOAD);
    tap_ok(one_chunk, "a drained queue owns one chunk");
    tap_ok(none_left, "a shrunk queue owns none");
    free_pool(&pool);
}

/* The pool runs out at each word of a record, after records that wait. A chunk holds PAYLOAD words. The queue's words (records and their
 * lengths) follow each other, so the number of chunks needed is known. */
static void test_exhaustion(void)
{
    struct candor_pool pool;
    struct candor_queue q;
    bool verdict = true, undone = true, kept = true, goes_on = true;

    for (uint32_t chunks = 1; chunks <= 5; chunks++) {
        make_pool(&pool, chunks, CHUNK);
        for (size_t before = 0; before + 1 <= chunks * PAYLOAD; before++) {
            for (size_t length = 1; length <= 5 * PAYLOAD + 3; length++) {
                size_t used = before ? before + 1 : 0;
                bool fits = used + length + 1 <= chunks * PAYLOAD;
                uint32_t owned;

                candor_queue_init(&q, &pool);
                kept &= before == 0 || push(&q, 1, before);
                owned = candor_pool_in_use(&pool);
                verdict &= push(&q, 2, length) == fits;
                undone &= fits || candor_pool_in_use(&pool) == owned;
                kept &= before == 0 || pop(&q, 1, before);
                kept &= !fits || pop(&q, 2, length);
                goes_on &= is_empty(&q) && (chunks == 1 || (push(&q, 3, 1) && pop(&q, 3, 1)));
                candor_queue_deinit(&q);
                undone &= candor_pool_in_use(&pool) == 0;
            }
        }
        free_pool(&pool);
    }
    tap_ok(verdict, "a record is refused exactly when the pool has no room for it");
    tap_ok(undone, "a refused record gives back what it took");
    tap_ok(kept, "the records before it are kept");
    tap_ok(goes_on, "the queue continues after it");
}

static void test_record_calls(void)
{
    struct candor_pool pool;
    struct candor_queue q;
    uint64_t source[40], out[40];
    bool same = true;

    make_pool(&pool, 8, CHUNK);
    candor_queue_init(&q, &pool);

    candor_queue_begin(&q);
    tap_ok(candor_queue_commit(&q) && is_empty(&q) && candor_pool_in_use(&pool) == 0, "a record without words is nothing");

    candor_queue_begin(&q);
    for (int i = 0; i < 30; i++)
        candor_queue_put(&q, 7);
    candor_queue_abort(&q);
    tap_ok(is_empty(&q) && candor_pool_in_use(&pool) == 0, "an aborted record leaves nothing");

    tap_ok(push(&q, 1, 3), "a record goes in");
    candor_queue_begin(&q);
    for (int i = 0; i < 30; i++)
        candor_queue_put(&q, 7);
    tap_ok(candor_queue_peek(&q) == 3, "an open record hides nothing that is there");
    tap_ok(pop(&q, 1, 3) && is_empty(&q), "... and shows nothing of its own");
    tap_ok(!candor_queue_shrink(&q), "... and keeps the chunk from shrinking");
    candor_queue_abort(&q);
    tap_ok(is_empty(&q) && candor_pool_in_use(&pool) == 1, "aborted, the queue is as before");
    tap_ok(push(&q, 2, 20) && pop(&q, 2, 20), "... and usable");

    push(&q, 3, 20);
    memset(out, 0, sizeof out);
    tap_ok(candor_queue_read(&q, out, 19) == 20 && out[0] == 0, "a short array gets the length and no word");
    tap_ok(candor_queue_peek(&q) == 20 && pop(&q, 3, 20), "... and the record is still there");
    push(&q, 4, 30);
    push(&q, 5, 2);
    tap_ok(candor_queue_read(&q, NULL, 0) == 30 && pop(&q, 5, 2), "a record can be dropped unread");

    for (size_t i = 0; i < 40; i++)
        source[i] = word_of(9, i);
    for (size_t length = 1; length <= 40; length++) {
        candor_queue_begin(&q);
        candor_queue_put_words(&q, source, length / 3);
        candor_queue_put_words(&q, source + length / 3, length - length / 3);
        same &= candor_queue_commit(&q) && pop(&q, 9, length);
    }
    tap_ok(same, "words put in bulk equal words put singly");
    candor_queue_begin(&q);
    for (int i = 0; i < 10; i++)
        candor_queue_put_words(&q, source, 40);
    tap_ok(!candor_queue_commit(&q) && candor_pool_in_use(&pool) == 1, "... and are refused alike");
    candor_queue_deinit(&q);
    free_pool(&pool);
}

static void test_shrink(void)
{
    struct candor_pool pool;
    struct candor_queue q;
    bool ok = true;

    make_pool(&pool, 4, CHUNK);
    candor_queue_init(&q, &pool);
    tap_ok(!candor_queue_shrink(&q), "a new queue has nothing to shrink");
    push(&q, 1, 2);
    tap_ok(!candor_queue_shrink(&q), "a queue does not shrink under a record never looked at");
    candor_queue_peek(&q);
    tap_ok(!candor_queue_shrink(&q), "... nor under one that was peeked at");
    tap_ok(pop(&q, 1, 2) && candor_queue_shrink(&q), "drained, it does");
    tap_ok(!candor_queue_shrink(&q) && is_empty(&q) && candor_pool_in_use(&pool) == 0, "... once");
    /* The same chunk comes back, filled to the same word: the consumer must not mistake it for data that it has read. */
    for (size_t length = 1; length <= 3 * PAYLOAD; length++) {
        for (int i = 0; i < 3; i++)
            ok &= push(&q, 2 + i, length) && !candor_queue_shrink(&q) && pop(&q, 2 + i, length) && candor_queue_shrink(&q);
    }
    tap_ok(ok && candor_pool_in_use(&pool) == 0, "records pass a queue that shrinks after each");
    ok = push(&q, 1, PAYLOAD - 1) && pop(&q, 1, PAYLOAD - 1);
    tap_ok(ok && candor_queue_shrink(&q) && push(&q, 2, 1) && pop(&q, 2, 1), "a full drained chunk shrinks too");
    ok = candor_queue_shrink(&q) && !push(&q, 3, 4 * PAYLOAD) && is_empty(&q) && candor_pool_in_use(&pool) == 0;
    tap_ok(ok && push(&q, 4, 4 * PAYLOAD - 1) && pop(&q, 4, 4 * PAYLOAD - 1), "a shrunk queue refuses and recovers");
    candor_queue_deinit(&q);
    free_pool(&pool);
}

static void test_states(void)
{
    static const struct candor_queue zero;
    static struct candor_queue q;
    struct candor_pool pool;
    bool ok = true;

    tap_ok(is_empty(&q) && !candor_queue_shrink(&q), "a zero-filled queue is empty");
    tap_ok(!push(&q, 1, 1) && !push(&q, 1, 40) && is_empty(&q), "... and refuses records");
    candor_queue_deinit(&q);
    tap_ok(memcmp(&q, &zero, sizeof q) == 0, "... and may be deinitialised");

    make_pool(&pool, 8, CHUNK);
    candor_queue_init(&q, &pool);
    push(&q, 1, 20);
    push(&q, 2, 20);
    candor_queue_read(&q, words, MAX_WORDS);
    candor_queue_deinit(&q);
    tap_ok(candor_pool_in_use(&pool) == 0 && memcmp(&q, &zero, sizeof q) == 0, "deinit gives all chunks back");
    candor_queue_init(&q, &pool);
    push(&q, 1, 20);
    candor_queue_begin(&q);
    candor_queue_put_words(&q, words, 15);
    candor_queue_deinit(&q);
    tap_ok(candor_pool_in_use(&pool) == 0, "... those of an open record too");

    /* Four units a word: the counter wraps to zero within the first records, once at each word. */
    for (uint64_t start = (uint64_t)-4 * 60; start != 0; start += 4) {
        candor_queue_init(&q, &pool);
        q.tail = q.consumer.head = start;
        for (uint64_t i = 0; i < 12; i++)
            ok &= push(&q, i, i + 1) && (i % 3 || candor_queue_peek(&q)) && pop(&q, i, i + 1) && (i % 2 || candor_queue_shrink(&q));
        candor_queue_deinit(&q);
    }
    tap_ok(ok && candor_pool_in_use(&pool) == 0, "the word counter may pass zero anywhere");
    free_pool(&pool);
    tap_ok(offsetof(struct candor_queue, producer) >= 128 &&
               offsetof(struct candor_queue, consumer) - offsetof(struct candor_queue, producer) >= 128 &&
               _Alignof(struct candor_queue) == 128,
           "what the two sides write lies 128 bytes apart");
}

#define QUEUES  200
#define WAITING 64

struct reference {
    struct candor_queue q;
    uint64_t seeds[WAITING];
    size_t lengths[WAITING];
    unsigned first, count;
};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static bool random_step(struct reference *r, uint64_t dice, unsigned *refused)
{
    unsigned slot = (r->first + r->count) % WAITING;

    if (dice % 8 == 0) {
        candor_queue_shrink(&r->q);
    } else if (dice % 8 <= 3 && r->count < WAITING) {
        r->seeds[slot] = dice;
        r->lengths[slot] = 1 + (dice >> 8) % (dice % 16 == 1 ? 60 : 6);
        if (push(&r->q, r->seeds[slot], r->lengths[slot]))
            r->count++;
        else
            ++*refused;
    } else if (r->count == 0) {
        return is_empty(&r->q);
    } else {
        slot = r->first++ % WAITING;
        r->count--;
        return pop(&r->q, r->seeds[slot], r->lengths[slot]);
    }
    return true;
}

static void test_many_queues(void)
{
    struct reference *all = aligned_alloc(128, QUEUES * sizeof *all);
    struct candor_pool pool;
    uint64_t state = 88172645463325252ULL;
    unsigned refused = 0;
    bool ok = true;

    memset(all, 0, QUEUES * sizeof *all);
    make_pool(&pool, 300, CHUNK);
    for (int i = 0; i < QUEUES; i++)
        candor_queue_init(&all[i].q, &pool);
    for (int i = 0; i < 400000 && ok; i++) {
        uint64_t dice = next_random(&state);

        ok &= random_step(&all[(dice >> 32) % QUEUES], dice, &refused);
    }
    tap_ok(ok, "%d queues on one pool deliver what they accepted", QUEUES);
    tap_ok(refused > 1000, "... while the pool ran dry (%u records refused)", refused);
    tap_ok(candor_pool_high_water(&pool) == 300, "... and was used to the last chunk");
    for (int i = 0; i < QUEUES; i++)
        candor_queue_deinit(&all[i].q);
    tap_ok(candor_pool_in_use(&pool) == 0, "... and is whole again in the end");
    free_pool(&pool);
    free(all);
}

int main(void)
{
    test_pool();
    test_placement();
    test_exhaustion();
    test_record_calls();
    test_shrink();
    test_states();
    test_many_queues();
    return tap_done();
}
