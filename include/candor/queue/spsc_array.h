/*
 * A bounded queue from one producer to one consumer: a ring of slots. A slot with NULL is empty. Each side decides by the slots alone,
 * so neither side reads data that the other writes at each step. The indices are only needed for counts.
 *
 *     slots       | . | . | e4 | e5 | e6 | . | . | . |       . is NULL
 *                         ^ consumer.index    ^ producer.index      ^ producer.limit: free up to here
 *     memory      | slots, mask |-128-| producer's |-128-| consumer's |
 *
 * Progress    both sides wait-free, in control and in progress: no peer can hold them up.
 * Signals     either side may be a handler, if no call of the same side can interrupt it or be interrupted by it.
 * Source      the null slots are FastFlow's, the look ahead is B-Queue's, both as in JCTools' SpscArrayQueue.
 *
 * When the producer reaches its limit, it checks the slot `look_ahead` further on. Slots are emptied in order, so if that slot is empty,
 * all slots before it are empty, too. One such check covers a quarter of the ring, and the producer avoids the cache lines that the
 * consumer uses. Because the consumer wrote each line last, the producer has lines fetched before it reaches them.
 */
#ifndef CANDOR_QUEUE_SPSC_ARRAY_H
#define CANDOR_QUEUE_SPSC_ARRAY_H

#include "candor/queue/common.h"

#ifdef __cplusplus
extern "C" {
#endif

struct candor_spsc_array_producer {
    uint64_t index; /* elements ever offered; atomic, because others read it */
    uint64_t limit; /* slots of indices before it are known to be empty */
};

struct candor_spsc_array_consumer {
    uint64_t index; /* elements ever polled; atomic */
};

struct candor_spsc_array {
    uint64_t *slots CANDOR_QUEUE_ALIGNED; /* atomic words; these three are constant after init */
    uint64_t mask;
    uint64_t look_ahead;
    struct candor_spsc_array_producer producer CANDOR_QUEUE_ALIGNED;
    struct candor_spsc_array_consumer consumer CANDOR_QUEUE_ALIGNED;
};

/* Owner. Initializes a queue. `slots` has room for `capacity` words with any content, is borrowed and must outlive the queue. Returns 0,
 * or -EINVAL unless the capacity is a power of two from 4 to 2^32. */
int candor_spsc_array_init(struct candor_spsc_array *q, uint64_t *slots, uint64_t capacity);

static inline uint64_t candor_spsc_array_capacity(const struct candor_spsc_array *q)
{
    return q->mask + 1;
}

/* Producer. Whether the slot of index i is empty. Acquire, both: they pair with the release in poll; the consumer does not use the
 * checked slot, or any slot before it, any more. */
static inline bool candor_spsc_array_has_room(struct candor_spsc_array *q, uint64_t i)
{
    if ((int64_t)(q->producer.limit - i) > 0)
        return true;
    if (!__atomic_load_n(&q->slots[(i + q->look_ahead) & q->mask], __ATOMIC_ACQUIRE)) {
        q->producer.limit = i + q->look_ahead;
        return true;
    }
    return !__atomic_load_n(&q->slots[i & q->mask], __ATOMIC_ACQUIRE);
}

/* Producer, called before it uses the slot of index i. Has a later cache line fetched. */
static inline void candor_spsc_array_fetch_ahead(struct candor_spsc_array *q, uint64_t i)
{
    if (i % CANDOR_QUEUE_LINE == 0)
        candor_queue_fetch(&q->slots[(i + CANDOR_QUEUE_AHEAD) & q->mask]);
}

static inline bool candor_spsc_array_offer(struct candor_spsc_array *q, void *element)
{
    uint64_t i = __atomic_load_n(&q->producer.index, __ATOMIC_RELAXED); /* relaxed: the producer's own */

    candor_spsc_array_fetch_ahead(q, i);
    if (candor_queue_refuses(element) || !candor_spsc_array_has_room(q, i))
        return false;
    /* Release: pairs with the acquire in peek; publishes the data that the element points to. */
    __atomic_store_n(&q->slots[i & q->mask], candor_queue_word(element), __ATOMIC_RELEASE);
    /* Release: pairs with the acquire in offered; a thread that sees the count sees the element. */
    __atomic_store_n(&q->producer.index, i + 1, __ATOMIC_RELEASE);
    return true;
}

static inline uint64_t candor_spsc_array_offer_n(struct candor_spsc_array *q, void *const *elements, uint64_t count)
{
    uint64_t i = __atomic_load_n(&q->producer.index, __ATOMIC_RELAXED), n = 0;

    for (; n < count && !candor_queue_refuses(elements[n]) && candor_spsc_array_has_room(q, i + n); n++) {
        candor_spsc_array_fetch_ahead(q, i + n);
        __atomic_store_n(&q->slots[(i + n) & q->mask], candor_queue_word(elements[n]), __ATOMIC_RELEASE); /* as in offer */
    }
    __atomic_store_n(&q->producer.index, i + n, __ATOMIC_RELEASE);
    return n;
}

static inline uint64_t candor_spsc_array_fill(struct candor_spsc_array *q, candor_queue_supply *supply, void *context, uint64_t limit)
{
    uint64_t n = 0;

    while (n < limit && candor_spsc_array_has_room(q, __atomic_load_n(&q->producer.index, __ATOMIC_RELAXED)) &&
           candor_spsc_array_offer(q, supply(context)))
        n++;
    return n;
}

static inline void *candor_spsc_array_peek(struct candor_spsc_array *q)
{
    uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED); /* relaxed: the consumer's own */

    /* Acquire: pairs with the release in offer. */
    return candor_queue_element(__atomic_load_n(&q->slots[i & q->mask], __ATOMIC_ACQUIRE));
}

static inline void *candor_spsc_array_poll(struct candor_spsc_array *q)
{
    uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED);
    void *element = candor_queue_element(__atomic_load_n(&q->slots[i & q->mask], __ATOMIC_ACQUIRE)); /* as in peek */

    if (!element)
        return NULL;
    /* Release: pairs with the acquires in has_room. */
    __atomic_store_n(&q->slots[i & q->mask], 0, __ATOMIC_RELEASE);
    /* Release: pairs with the acquire in polled. */
    __atomic_store_n(&q->consumer.index, i + 1, __ATOMIC_RELEASE);
    return element;
}

static inline uint64_t candor_spsc_array_poll_n(struct candor_spsc_array *q, void **out, uint64_t count)
{
    uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED), n = 0;

    for (; n < count; n++) {
        uint64_t *slot = &q->slots[(i + n) & q->mask];

        out[n] = candor_queue_element(__atomic_load_n(slot, __ATOMIC_ACQUIRE)); /* as in peek */
        if (!out[n])
            break;
        __atomic_store_n(slot, 0, __ATOMIC_RELEASE); /* as in poll */
    }
    __atomic_store_n(&q->consumer.index, i + n, __ATOMIC_RELEASE);
    return n;
}

CANDOR_QUEUE_RELAXED_PRODUCER(candor_spsc_array)
CANDOR_QUEUE_RELAXED_CONSUMER(candor_spsc_array)
CANDOR_QUEUE_COUNTS(candor_spsc_array)
CANDOR_QUEUE_WALK(candor_spsc_array)
CANDOR_QUEUE_LOOPS(candor_spsc_array)

#ifdef __cplusplus
}
#endif

#endif
