/* The rare paths of the queue: a new limit, a new ring, the step from one ring to the next. */
#include "candor/queue/mpsc_chunked.h"

#include <errno.h>

#include "ring.h"

/* Indices step by 2. */
static uint64_t steps(uint64_t elements)
{
    return 2 * elements;
}

/* Returns the distance from the consumer's index to the bound. It is at most a quarter of all indices, so that the difference between
 * the bound and any index keeps its sign. That includes an index that a producer read some time ago, and that the consumer may have
 * passed. */
static uint64_t reach(uint64_t capacity)
{
    return capacity > (uint64_t)1 << 61 ? (uint64_t)1 << 62 : steps(capacity);
}

int candor_mpsc_chunked_init(struct candor_mpsc_chunked *q, struct candor_pool *pool, uint64_t capacity)
{
    uint64_t slots = ring_slots(pool->chunk_words);
    uint64_t *ring;

    if (slots == 0 || capacity == 0)
        return -EINVAL;
    ring = candor_pool_take(pool);
    if (!ring)
        return -ENOMEM;
    *q = (struct candor_mpsc_chunked){.pool = pool, .mask = slots - 1, .capacity = capacity};
    ring_clear(ring, slots);
    q->ring.slots = (uint64_t)(uintptr_t)ring;
    q->ring.end = steps(q->mask);
    q->consumer.slots = ring;
    return 0;
}

void candor_mpsc_chunked_deinit(struct candor_mpsc_chunked *q)
{
    while (candor_mpsc_chunked_poll(q))
        ;
    candor_pool_give(q->pool, q->consumer.slots);
    *q = (struct candor_mpsc_chunked){0};
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return (int64_t)(a - b) > 0 ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return (int64_t)(a - b) < 0 ? a : b;
}

/* Makes a ring that begins at `at`. The calling producer owns the index, which is odd. It publishes the ring, advances the index by one
 * step, and has the slot of `at`. */
static enum candor_mpsc_chunked_extended make_ring(struct candor_mpsc_chunked *q, uint64_t at, uint64_t bound, uint64_t **slot)
{
    /* Relaxed: the producer that made the last ring released the index, and `at` was acquired from it. */
    uint64_t *old = (uint64_t *)(uintptr_t)__atomic_load_n(&q->ring.slots, __ATOMIC_RELAXED);
    uint64_t *next = candor_pool_take(q->pool);

    if (!next) {
        __atomic_store_n(&q->producer.index, at, __ATOMIC_RELEASE); /* release: as below, for everything known before */
        return CANDOR_MPSC_FULL;
    }
    ring_clear(next, q->mask + 1);
    ring_link(old, q->mask + 1, next);
    /* Release, all: they pair with the acquires in claim and extend. The ring's slots, and those below the limit, are empty for any
     * producer that finds the ring. */
    __atomic_store_n(&q->ring.end, at + steps(q->mask), __ATOMIC_RELEASE);
    __atomic_store_n(&q->ring.limit, earlier(at + steps(q->mask), bound), __ATOMIC_RELEASE);
    __atomic_store_n(&q->ring.slots, (uint64_t)(uintptr_t)next, __ATOMIC_RELEASE);
    /* Release: pairs with the acquire in front; publishes the link. From here on the old ring belongs to the consumer. */
    __atomic_store_n(&old[at >> 1 & q->mask], candor_queue_word(CANDOR_QUEUE_JUMP), __ATOMIC_RELEASE);
    /* Release: pairs with the acquire in claim. */
    __atomic_store_n(&q->producer.index, at + 2, __ATOMIC_RELEASE);
    *slot = &next[at >> 1 & q->mask];
    return CANDOR_MPSC_CLAIMED;
}

enum candor_mpsc_chunked_extended candor_mpsc_chunked_extend(struct candor_mpsc_chunked *q, uint64_t at, uint64_t limit, uint64_t **slot)
{
    /* Acquire: pairs with the release in take; the consumer has emptied the slots before it. */
    uint64_t polled = __atomic_load_n(&q->consumer.index, __ATOMIC_ACQUIRE);
    uint64_t bound = polled + reach(q->capacity);
    /* Acquire: pairs with the release in make_ring. The ring's slots up to `end` have never been used. Slots up to one ring after the
     * consumer's index have been emptied. So has the next slot, which JUMP may need. */
    uint64_t end = later(__atomic_load_n(&q->ring.end, __ATOMIC_ACQUIRE), polled + steps(q->mask));
    uint64_t expected = at;

    if ((int64_t)(bound - at) <= 0)
        return CANDOR_MPSC_FULL;
    if ((int64_t)(end - at) > 0) {
        /* Release: pairs with the acquire in claim. It is a compare and swap, so that it does not overwrite the limit of a newer ring.
         * If it fails, another producer has found room. Relaxed on failure: the value is not used. */
        __atomic_compare_exchange_n(&q->ring.limit, &limit, earlier(end, bound), false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
        return CANDOR_MPSC_AGAIN;
    }
    /* Relaxed: only decides which producer makes the ring; the data of the old ring was acquired with the index. */
    if (!__atomic_compare_exchange_n(&q->producer.index, &expected, at | 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return CANDOR_MPSC_AGAIN;
    return make_ring(q, at, bound, slot);
}

void candor_mpsc_chunked_follow(struct candor_mpsc_chunked *q)
{
    uint64_t *old = q->consumer.slots;

    q->consumer.slots = ring_next(old, q->mask + 1);
    candor_pool_give(q->pool, old);
}

uint64_t candor_mpsc_chunked_walk(const struct candor_mpsc_chunked *q, candor_queue_visit *visit, void *context)
{
    uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED), n = 0; /* relaxed: the consumer's own */
    /* Acquire: pairs with the release in make_ring; each JUMP before it is there, and leads to its ring. The lowest bit does not count. */
    uint64_t end = __atomic_load_n(&q->producer.index, __ATOMIC_ACQUIRE) & ~(uint64_t)1;
    const uint64_t *slots = q->consumer.slots;

    while ((int64_t)(end - i) > 0) {
        /* Acquire: pairs with the release in put. */
        uint64_t word = __atomic_load_n(&slots[i >> 1 & q->mask], __ATOMIC_ACQUIRE);

        if (word == candor_queue_word(CANDOR_QUEUE_JUMP)) {
            slots = ring_next(slots, q->mask + 1);
            continue;
        }
        i += 2;
        if (!word) /* a bubble */
            continue;
        n++;
        if (!visit(context, candor_queue_element(word)))
            break;
    }
    return n;
}
