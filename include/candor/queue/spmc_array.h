/*
 * A bounded queue from one producer to many consumers: a ring of slots. A slot with NULL is empty. A consumer claims an index by compare
 * and swap, and then takes the element and empties the slot. The producer decides by the slot.
 *
 *     slots       | . | . | e4 | e5 | e6 | . | . | . |       4 is claimed but not taken yet: a bubble
 *                              ^ consumer.index = 5   ^ producer.index = 7
 *     memory      | slots, mask |-128-| producer's |-128-| consumers' index |-128-| consumers' limit |
 *
 * Progress    poll and peek are lock-free in control and in progress. offer needs the slot that was used a whole ring ago, and waits
 *             for a consumer that has claimed but not emptied it. relaxed_offer does not wait, and is wait-free in control.
 * Signals     consumers: yes, whatever they interrupt. The producer: only relaxed forms, and not fill, if it may have interrupted a
 *             consumer.
 * Source      JCTools' SpmcArrayQueue.
 */
#ifndef CANDOR_QUEUE_SPMC_ARRAY_H
#define CANDOR_QUEUE_SPMC_ARRAY_H

#include "candor/queue/common.h"

#ifdef __cplusplus
extern "C" {
#endif

struct candor_spmc_array_side {
    uint64_t index; /* number of elements ever offered, or polled (claimed); atomic */
};

struct candor_spmc_array_limit {
    uint64_t index; /* elements of indices before it have been offered; atomic, may lag */
};

struct candor_spmc_array {
    uint64_t *slots CANDOR_QUEUE_ALIGNED; /* atomic words; these two are constant after init */
    uint64_t mask;
    struct candor_spmc_array_side producer CANDOR_QUEUE_ALIGNED;
    struct candor_spmc_array_side consumer CANDOR_QUEUE_ALIGNED;
    struct candor_spmc_array_limit limit CANDOR_QUEUE_ALIGNED;
};

/* Owner. Initializes a queue. `slots` has room for `capacity` words with any content, is borrowed and must outlive the queue. Returns 0,
 * or -EINVAL unless the capacity is a power of two from 2 to 2^32. */
int candor_spmc_array_init(struct candor_spmc_array *q, uint64_t *slots, uint64_t capacity);

static inline uint64_t candor_spmc_array_capacity(const struct candor_spmc_array *q)
{
    return q->mask + 1;
}

/* Producer. Whether the slot of index i is empty. If not, the queue is full or, unless `wait`, a consumer still uses the slot. */
static inline bool candor_spmc_array_has_room(struct candor_spmc_array *q, uint64_t i, bool wait)
{
    /* Acquire: pairs with the release in take. Therefore a consumer that peeks at a later element in this slot sees that the index has
     * moved. */
    while (__atomic_load_n(&q->slots[i & q->mask], __ATOMIC_ACQUIRE)) {
        /* Relaxed: a poll that returned before this call has emptied its slot; the index is needed only for polls in progress. */
        if (!wait || (int64_t)(i - __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED) - q->mask) > 0)
            return false;
        candor_queue_pause();
    }
    return true;
}

static inline bool candor_spmc_array_put(struct candor_spmc_array *q, void *element, bool wait)
{
    uint64_t i = __atomic_load_n(&q->producer.index, __ATOMIC_RELAXED); /* relaxed: the producer's own */

    if (candor_queue_refuses(element) || !candor_spmc_array_has_room(q, i, wait))
        return false;
    /* Release: pairs with the acquire in peek. A consumer that reads this element knows that the previous elements of the slot were
     * claimed. */
    __atomic_store_n(&q->slots[i & q->mask], candor_queue_word(element), __ATOMIC_RELEASE);
    /* Release: pairs with the acquires in claim and offered; publishes the slot and the data that its element points to. */
    __atomic_store_n(&q->producer.index, i + 1, __ATOMIC_RELEASE);
    return true;
}

static inline bool candor_spmc_array_offer(struct candor_spmc_array *q, void *element)
{
    return candor_spmc_array_put(q, element, true);
}

static inline bool candor_spmc_array_relaxed_offer(struct candor_spmc_array *q, void *element)
{
    return candor_spmc_array_put(q, element, false);
}

/* It waits for a consumer only for the first element. */
static inline uint64_t candor_spmc_array_offer_n(struct candor_spmc_array *q, void *const *elements, uint64_t count)
{
    uint64_t n = 0;

    while (n < count && candor_spmc_array_put(q, elements[n], n == 0))
        n++;
    return n;
}

static inline uint64_t candor_spmc_array_fill(struct candor_spmc_array *q, candor_queue_supply *supply, void *context, uint64_t limit)
{
    uint64_t n = 0;

    while (n < limit && candor_spmc_array_has_room(q, __atomic_load_n(&q->producer.index, __ATOMIC_RELAXED), n == 0) &&
           candor_spmc_array_put(q, supply(context), false))
        n++;
    return n;
}

/* Consumer. Returns the number of elements from index i on that have been offered, at most `wanted`. */
static inline uint64_t candor_spmc_array_ready(struct candor_spmc_array *q, uint64_t i, uint64_t wanted)
{
    /* Acquire: pairs with the release below, and so with that in put; the elements before the limit are visible to this consumer, too. */
    uint64_t limit = __atomic_load_n(&q->limit.index, __ATOMIC_ACQUIRE);

    if (wanted > q->mask + 1)
        wanted = q->mask + 1;
    if ((int64_t)(limit - i) < (int64_t)wanted) {
        /* Acquire: pairs with the release in put. */
        limit = __atomic_load_n(&q->producer.index, __ATOMIC_ACQUIRE);
        if ((int64_t)(limit - i) <= 0)
            return 0;
        /* Release: pairs with the acquire above. An older limit may overwrite a newer one; then the limit is computed again. */
        __atomic_store_n(&q->limit.index, limit, __ATOMIC_RELEASE);
    }
    return limit - i < wanted ? limit - i : wanted;
}

/* Consumer. Claims up to `wanted` elements from *first on, and returns their number; 0: there is none. The consumer must take all
 * elements that it claimed. */
static inline uint64_t candor_spmc_array_claim(struct candor_spmc_array *q, uint64_t wanted, uint64_t *first)
{
    /* Relaxed: a guess, which the exchange checks. */
    uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED), n;

    for (;;) {
        n = candor_spmc_array_ready(q, i, wanted);
        if (n == 0)
            return 0;
        /* Relaxed: only decides which consumer has the elements. */
        if (__atomic_compare_exchange_n(&q->consumer.index, &i, i + n, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            *first = i;
            return n;
        }
    }
}

static inline void *candor_spmc_array_take(struct candor_spmc_array *q, uint64_t i)
{
    uint64_t *slot = &q->slots[i & q->mask];
    /* Relaxed: the index that was acquired in ready has published it. */
    uint64_t word = __atomic_load_n(slot, __ATOMIC_RELAXED);

    /* Release: pairs with the acquire in has_room. */
    __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
    return candor_queue_element(word);
}

static inline void *candor_spmc_array_poll(struct candor_spmc_array *q)
{
    uint64_t i;

    return candor_spmc_array_claim(q, 1, &i) ? candor_spmc_array_take(q, i) : NULL;
}

static inline uint64_t candor_spmc_array_poll_n(struct candor_spmc_array *q, void **out, uint64_t count)
{
    uint64_t i, n = count ? candor_spmc_array_claim(q, count, &i) : 0;

    for (uint64_t k = 0; k < n; k++)
        out[k] = candor_spmc_array_take(q, i + k);
    return n;
}

/* Returns the oldest element. Another consumer may take it before this one does. */
static inline void *candor_spmc_array_peek(struct candor_spmc_array *q)
{
    for (;;) {
        uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED), word;

        if (candor_spmc_array_ready(q, i, 1) == 0)
            return NULL;
        /* Acquire: pairs with the release in put. If the slot has a later element, or none any more, the index has moved. */
        word = __atomic_load_n(&q->slots[i & q->mask], __ATOMIC_ACQUIRE);
        if (word && __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED) == i)
            return candor_queue_element(word);
    }
}

CANDOR_QUEUE_RELAXED_CONSUMER(candor_spmc_array)
CANDOR_QUEUE_COUNTS(candor_spmc_array)
CANDOR_QUEUE_WALK(candor_spmc_array)
CANDOR_QUEUE_LOOPS(candor_spmc_array)

#ifdef __cplusplus
}
#endif

#endif
