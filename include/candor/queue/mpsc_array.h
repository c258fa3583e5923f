/*
 * A bounded queue from many producers to one consumer: a ring of slots. A slot with NULL is empty. A producer claims an index by compare
 * and swap, and then stores its element in that slot. The consumer decides by the slots.
 *
 *     slots       | . | . | e4 | . | e6 | . | . | . |        the producer of 5 is between claim and store: a bubble
 *                         ^ consumer.index = 4   ^ producer.index = 7
 *     memory      | slots, mask |-128-| producers' index |-128-| producers' limit |-128-| consumer's |
 *
 * Progress    offer is lock-free in control and in progress, and never waits for another producer. relaxed_offer is wait-free in
 *             control. poll and peek wait for the producer of the oldest element when it is in a bubble. Their relaxed forms do not
 *             wait: they are wait-free in control, and see nothing behind the bubble.
 *             A poll that finds nothing reads the producers' index, and so slows them down; relaxed_poll and drain do not.
 * Signals     producers: yes, whatever they interrupt. The consumer: relaxed forms only, because it may have interrupted a
 *             producer in a bubble.
 * Source      JCTools' MpscArrayQueue.
 */
#ifndef CANDOR_QUEUE_MPSC_ARRAY_H
#define CANDOR_QUEUE_MPSC_ARRAY_H

#include "candor/queue/common.h"

#ifdef __cplusplus
extern "C" {
#endif

struct candor_mpsc_array_side {
    uint64_t index; /* number of elements ever offered (claimed), or polled; atomic */
};

struct candor_mpsc_array_limit {
    uint64_t index; /* slots of indices before it are empty or claimed; atomic, may lag */
};

struct candor_mpsc_array {
    uint64_t *slots CANDOR_QUEUE_ALIGNED; /* atomic words; these two are constant after init */
    uint64_t mask;
    struct candor_mpsc_array_side producer CANDOR_QUEUE_ALIGNED;
    struct candor_mpsc_array_limit limit CANDOR_QUEUE_ALIGNED;
    struct candor_mpsc_array_side consumer CANDOR_QUEUE_ALIGNED;
};

/* Owner. Initializes a queue. `slots` has room for `capacity` words with any content, is borrowed and must outlive the queue. Returns 0,
 * or -EINVAL unless the capacity is a power of two from 2 to 2^32. */
int candor_mpsc_array_init(struct candor_mpsc_array *q, uint64_t *slots, uint64_t capacity);

static inline uint64_t candor_mpsc_array_capacity(const struct candor_mpsc_array *q)
{
    return q->mask + 1;
}

/* Producer. Claims up to `wanted` slots from *first on, and returns their number. 0: the queue is full or, unless `retry`, another
 * producer claimed slots meanwhile. The producer must store to each claimed slot. */
static inline uint64_t candor_mpsc_array_claim(struct candor_mpsc_array *q, uint64_t wanted, bool retry, uint64_t *first)
{
    /* Acquire: pairs with the release below, and so with that in poll; the slots before the limit are empty for this producer, too. */
    uint64_t limit = __atomic_load_n(&q->limit.index, __ATOMIC_ACQUIRE);
    /* Relaxed: a guess, which the exchange checks. */
    uint64_t i = __atomic_load_n(&q->producer.index, __ATOMIC_RELAXED), n;

    if (wanted > q->mask + 1)
        wanted = q->mask + 1;
    do {
        if ((int64_t)(limit - i) < (int64_t)wanted) {
            /* Acquire: pairs with the release in poll; the consumer has emptied the slots before it. */
            limit = __atomic_load_n(&q->consumer.index, __ATOMIC_ACQUIRE) + q->mask + 1;
            if ((int64_t)(limit - i) <= 0)
                return 0;
            /* Release: pairs with the acquire above. An older limit may overwrite a newer one; then the limit is computed again. */
            __atomic_store_n(&q->limit.index, limit, __ATOMIC_RELEASE);
        }
        n = limit - i < wanted ? limit - i : wanted;
        /* Relaxed: only decides which producer has the slots; the slots publish themselves. */
        if (__atomic_compare_exchange_n(&q->producer.index, &i, i + n, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            *first = i;
            return n;
        }
    } while (retry);
    return 0;
}

/* Producer. Stores an element in a claimed slot. Release: pairs with the acquire in front; publishes the data that the element points
 * to. */
static inline void candor_mpsc_array_store(struct candor_mpsc_array *q, uint64_t i, void *element)
{
    __atomic_store_n(&q->slots[i & q->mask], candor_queue_word(element), __ATOMIC_RELEASE);
}

static inline bool candor_mpsc_array_offer(struct candor_mpsc_array *q, void *element)
{
    uint64_t i;

    if (candor_queue_refuses(element) || !candor_mpsc_array_claim(q, 1, true, &i))
        return false;
    candor_mpsc_array_store(q, i, element);
    return true;
}

static inline bool candor_mpsc_array_relaxed_offer(struct candor_mpsc_array *q, void *element)
{
    uint64_t i;

    if (candor_queue_refuses(element) || !candor_mpsc_array_claim(q, 1, false, &i))
        return false;
    candor_mpsc_array_store(q, i, element);
    return true;
}

/* The elements are adjacent: no element of another producer comes between them. */
static inline uint64_t candor_mpsc_array_offer_n(struct candor_mpsc_array *q, void *const *elements, uint64_t count)
{
    uint64_t good = 0, n, i;

    while (good < count && !candor_queue_refuses(elements[good]))
        good++;
    n = good ? candor_mpsc_array_claim(q, good, true, &i) : 0;
    for (uint64_t k = 0; k < n; k++)
        candor_mpsc_array_store(q, i + k, elements[k]);
    return n;
}

/* Claims all slots before the first call of `supply`. Therefore the consumer has to wait if `supply` is slow. */
static inline uint64_t candor_mpsc_array_fill(struct candor_mpsc_array *q, candor_queue_supply *supply, void *context, uint64_t limit)
{
    uint64_t i, n = limit ? candor_mpsc_array_claim(q, limit, true, &i) : 0;

    for (uint64_t k = 0; k < n; k++)
        candor_mpsc_array_store(q, i + k, supply(context));
    return n;
}

/* Consumer. Returns the oldest element's word; 0 if there is none or, unless `wait`, if its producer has not stored it yet. */
static inline uint64_t candor_mpsc_array_front(struct candor_mpsc_array *q, uint64_t i, bool wait)
{
    for (;;) {
        /* Acquire: pairs with the release in store. */
        uint64_t word = __atomic_load_n(&q->slots[i & q->mask], __ATOMIC_ACQUIRE);

        /* Relaxed: an offer that returned before this call is seen in the slot; the index is needed only for offers in progress. */
        if (word || !wait || (int64_t)(__atomic_load_n(&q->producer.index, __ATOMIC_RELAXED) - i) <= 0)
            return word;
        candor_queue_pause();
    }
}

static inline void *candor_mpsc_array_peek(struct candor_mpsc_array *q)
{
    return candor_queue_element(candor_mpsc_array_front(q, __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED), true));
}

static inline void *candor_mpsc_array_relaxed_peek(struct candor_mpsc_array *q)
{
    return candor_queue_element(candor_mpsc_array_front(q, __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED), false));
}

static inline void *candor_mpsc_array_take(struct candor_mpsc_array *q, bool wait)
{
    uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED); /* relaxed: the consumer's own */
    uint64_t word = candor_mpsc_array_front(q, i, wait);

    if (!word)
        return NULL;
    __atomic_store_n(&q->slots[i & q->mask], 0, __ATOMIC_RELAXED); /* relaxed: published by the index */
    /* Release: pairs with the acquire in claim. */
    __atomic_store_n(&q->consumer.index, i + 1, __ATOMIC_RELEASE);
    return candor_queue_element(word);
}

static inline void *candor_mpsc_array_poll(struct candor_mpsc_array *q)
{
    return candor_mpsc_array_take(q, true);
}

static inline void *candor_mpsc_array_relaxed_poll(struct candor_mpsc_array *q)
{
    return candor_mpsc_array_take(q, false);
}

static inline uint64_t candor_mpsc_array_poll_n(struct candor_mpsc_array *q, void **out, uint64_t count)
{
    uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED), n = 0;

    for (; n < count && (out[n] = candor_queue_element(candor_mpsc_array_front(q, i + n, false))); n++)
        __atomic_store_n(&q->slots[(i + n) & q->mask], 0, __ATOMIC_RELAXED); /* as in take */
    __atomic_store_n(&q->consumer.index, i + n, __ATOMIC_RELEASE);
    return n;
}

CANDOR_QUEUE_COUNTS(candor_mpsc_array)
CANDOR_QUEUE_WALK(candor_mpsc_array)
CANDOR_QUEUE_LOOPS(candor_mpsc_array)

#ifdef __cplusplus
}
#endif

#endif
