/*
 * Queues from many producers to one consumer in linked rings of slots: a bounded queue, and one that is bounded only by its pool. The
 * memory that is touched depends on the number of waiting elements.
 *
 *     ring of 4, and its link     | e4 | e5 | e6 | JUMP | link |----> | . | . | . | e7 | . |
 *                                        ^ consumer.index = 5          ^ producer.index = 8 (both times 2 in memory)
 *
 * An element has the same offset in any ring. Indices step by 2. The lowest bit of the producers' index says that a producer is making a
 * new ring; it owns the index, and the other producers wait. A producer reads the ring's address before it claims its index. The claim
 * succeeds only if the ring has not changed. Therefore no producer touches a ring that the consumer may have left.
 *
 *     memory      | what is constant |-128-| producers' index |-128-| ring and limits |-128-| consumer's |
 *
 * Progress    offer is lock-free, but waits while another producer makes a ring (it clears the ring's slots, and does a bounded search
 *             in the pool's bitmap). relaxed_offer fails instead, and is wait-free in control. poll and peek wait for the producer of
 *             the oldest element when it has claimed but not stored it (a bubble). Their relaxed forms do not wait: they are
 *             wait-free in control, and see nothing behind the bubble. A poll that finds nothing reads the producers' index, and so
 *             slows them down; relaxed_poll and drain do not.
 * Signals     producers: relaxed_offer, whatever it interrupts; offer only if it interrupts no producer, because that producer may be
 *             making a ring. The consumer: relaxed forms only.
 * Source      JCTools' MpscChunkedArrayQueue and MpscUnboundedArrayQueue. New here: the pool; the end of the newest ring is known,
 *             so that a queue that hovers at its bound does not link rings that are nearly empty; the link is made before the index.
 */
#ifndef CANDOR_QUEUE_MPSC_CHUNKED_H
#define CANDOR_QUEUE_MPSC_CHUNKED_H

#include "candor/queue/common.h"
#include "candor/queue/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

struct candor_mpsc_chunked_producer {
    uint64_t index; /* elements ever claimed, times 2; plus 1 while a ring is made; atomic */
};

/* All three are atomic. They are written by the producer that makes a ring; the limit is also written by any producer. */
struct candor_mpsc_chunked_ring {
    uint64_t slots;
    uint64_t end;   /* the end of the ring's range of indices; none of its slots has been used before */
    uint64_t limit; /* slots of indices before it are empty or claimed, and within the bound */
};

struct candor_mpsc_chunked_consumer {
    uint64_t index; /* elements ever polled, times 2; atomic */
    uint64_t *slots;
};

struct candor_mpsc_chunked {
    struct candor_pool *pool CANDOR_QUEUE_ALIGNED;
    uint64_t mask;
    uint64_t capacity;
    struct candor_mpsc_chunked_producer producer CANDOR_QUEUE_ALIGNED;
    struct candor_mpsc_chunked_ring ring CANDOR_QUEUE_ALIGNED;
    struct candor_mpsc_chunked_consumer consumer CANDOR_QUEUE_ALIGNED;
};

/* Owner. Initializes a queue of at most `capacity` elements (any number, or CANDOR_QUEUE_UNBOUNDED) in chunks of the pool, which is
 * borrowed and must outlive the queue. The slots of a ring are the largest power of two that leaves a word of the chunk: chunks of 513
 * words hold 512. The queue owns one chunk from init on, and at most (capacity - 1) / (slots - 1) + 2. An offer fails as if the queue
 * were full when the pool is empty. Returns 0; -EINVAL for chunks of less than 3 words or no capacity; -ENOMEM when the pool is empty. */
int candor_mpsc_chunked_init(struct candor_mpsc_chunked *q, struct candor_pool *pool, uint64_t capacity);

/* Owner. Drops all elements and gives the chunks back. */
void candor_mpsc_chunked_deinit(struct candor_mpsc_chunked *q);

/* Consumer only, because it walks over the rings. */
uint64_t candor_mpsc_chunked_walk(const struct candor_mpsc_chunked *q, candor_queue_visit *visit, void *context);

/* Producer, called by claim, which found no room before `limit` at index `at`. Finds room, or makes a ring and claims its first slot. */
enum candor_mpsc_chunked_extended { CANDOR_MPSC_FULL, CANDOR_MPSC_AGAIN, CANDOR_MPSC_CLAIMED };
enum candor_mpsc_chunked_extended candor_mpsc_chunked_extend(struct candor_mpsc_chunked *q, uint64_t at, uint64_t limit, uint64_t **slot);

/* Consumer, called by front. Follows the link of a JUMP and gives the old ring back. */
void candor_mpsc_chunked_follow(struct candor_mpsc_chunked *q);

static inline uint64_t candor_mpsc_chunked_capacity(const struct candor_mpsc_chunked *q)
{
    return q->capacity;
}

/* The number of attempts of a relaxed offer. It is more than one, because one attempt may be used to find room. */
#define CANDOR_MPSC_CHUNKED_ATTEMPTS 3

/* Producer. Claims the slot for the next element, to which the producer must then store. Returns NULL if the queue is full or, unless
 * `retry`, if another producer interfered. */
static inline uint64_t *candor_mpsc_chunked_claim(struct candor_mpsc_chunked *q, bool retry)
{
    uint64_t *slot = NULL;
    int attempts = 0;

    do {
        /* Acquire, all three. The limit: pairs with the releases in extend, and so with that in poll; the slots before it are empty for
         * this producer, too. The index: pairs with the release of the producer that made the ring, so that this producer then finds its
         * slots, or newer ones; and with the release of the claims since. The slots: pair with their release; a producer that finds
         * newer ones also finds, in the exchange, that the index has moved. */
        uint64_t limit = __atomic_load_n(&q->ring.limit, __ATOMIC_ACQUIRE);
        uint64_t at = __atomic_load_n(&q->producer.index, __ATOMIC_ACQUIRE);
        uint64_t *slots = (uint64_t *)(uintptr_t)__atomic_load_n(&q->ring.slots, __ATOMIC_ACQUIRE);

        if (at & 1) {
            if (retry)
                candor_queue_pause();
        } else if ((int64_t)(limit - at) > 0) {
            uint64_t expected = at;

            /* Release: pairs with the acquire of the index above in the producer that makes the next ring. That producer puts JUMP into
             * a slot that is empty according to this producer's limit. */
            if (__atomic_compare_exchange_n(&q->producer.index, &expected, at + 2, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
                return &slots[at >> 1 & q->mask];
        } else {
            enum candor_mpsc_chunked_extended done = candor_mpsc_chunked_extend(q, at, limit, &slot);

            if (done != CANDOR_MPSC_AGAIN)
                return slot;
        }
    } while (retry || ++attempts < CANDOR_MPSC_CHUNKED_ATTEMPTS);
    return NULL;
}

static inline bool candor_mpsc_chunked_put(struct candor_mpsc_chunked *q, void *element, bool retry)
{
    uint64_t *slot = candor_queue_refuses(element) ? NULL : candor_mpsc_chunked_claim(q, retry);

    if (!slot)
        return false;
    /* Release: pairs with the acquire in front; publishes the data that the element points to. */
    __atomic_store_n(slot, candor_queue_word(element), __ATOMIC_RELEASE);
    return true;
}

static inline bool candor_mpsc_chunked_offer(struct candor_mpsc_chunked *q, void *element)
{
    return candor_mpsc_chunked_put(q, element, true);
}

static inline bool candor_mpsc_chunked_relaxed_offer(struct candor_mpsc_chunked *q, void *element)
{
    return candor_mpsc_chunked_put(q, element, false);
}

static inline uint64_t candor_mpsc_chunked_fill(struct candor_mpsc_chunked *q, candor_queue_supply *supply, void *context, uint64_t limit)
{
    uint64_t *slot, n = 0;

    for (; n < limit && (slot = candor_mpsc_chunked_claim(q, true)); n++)
        __atomic_store_n(slot, candor_queue_word(supply(context)), __ATOMIC_RELEASE); /* as in put */
    return n;
}

/* Consumer. Returns the oldest element's word; 0 if there is none or, unless `wait`, if its producer has not stored it yet. Afterwards
 * consumer.slots is the ring that contains it. */
static inline uint64_t candor_mpsc_chunked_front(struct candor_mpsc_chunked *q, uint64_t i, bool wait)
{
    for (;;) {
        /* Acquire: pairs with the release in put, and with that of extend's JUMP. */
        uint64_t word = __atomic_load_n(&q->consumer.slots[i >> 1 & q->mask], __ATOMIC_ACQUIRE);

        if (__builtin_expect(word == candor_queue_word(CANDOR_QUEUE_JUMP), 0)) {
            candor_mpsc_chunked_follow(q);
            continue;
        }
        /* Relaxed: an offer that returned before this call is seen in the slot; the index is needed only for offers in progress. Its
         * lowest bit does not count: that producer's element is not offered yet. */
        if (word || !wait || (int64_t)((__atomic_load_n(&q->producer.index, __ATOMIC_RELAXED) & ~(uint64_t)1) - i) <= 0)
            return word;
        candor_queue_pause();
    }
}

static inline void *candor_mpsc_chunked_peek(struct candor_mpsc_chunked *q)
{
    return candor_queue_element(candor_mpsc_chunked_front(q, __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED), true));
}

static inline void *candor_mpsc_chunked_relaxed_peek(struct candor_mpsc_chunked *q)
{
    return candor_queue_element(candor_mpsc_chunked_front(q, __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED), false));
}

static inline void *candor_mpsc_chunked_take(struct candor_mpsc_chunked *q, bool wait)
{
    uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED); /* relaxed: the consumer's own */
    uint64_t word = candor_mpsc_chunked_front(q, i, wait);

    if (!word)
        return NULL;
    __atomic_store_n(&q->consumer.slots[i >> 1 & q->mask], 0, __ATOMIC_RELAXED); /* relaxed: published by the index */
    /* Release: pairs with the acquire in extend. */
    __atomic_store_n(&q->consumer.index, i + 2, __ATOMIC_RELEASE);
    return candor_queue_element(word);
}

static inline void *candor_mpsc_chunked_poll(struct candor_mpsc_chunked *q)
{
    return candor_mpsc_chunked_take(q, true);
}

static inline void *candor_mpsc_chunked_relaxed_poll(struct candor_mpsc_chunked *q)
{
    return candor_mpsc_chunked_take(q, false);
}

static inline uint64_t candor_mpsc_chunked_size(const struct candor_mpsc_chunked *q)
{
    return candor_queue_span(&q->producer.index, &q->consumer.index, 2, q->capacity);
}

static inline uint64_t candor_mpsc_chunked_offered(const struct candor_mpsc_chunked *q)
{
    return __atomic_load_n(&q->producer.index, __ATOMIC_ACQUIRE) >> 1;
}

static inline uint64_t candor_mpsc_chunked_polled(const struct candor_mpsc_chunked *q)
{
    return __atomic_load_n(&q->consumer.index, __ATOMIC_ACQUIRE) >> 1;
}

/* Whether the queue is empty. The consumer's index is read first, so that an element that is added between the two reads can only make
 * the queue less empty. */
static inline bool candor_mpsc_chunked_is_empty(const struct candor_mpsc_chunked *q)
{
    uint64_t polled = __atomic_load_n(&q->consumer.index, __ATOMIC_ACQUIRE);

    return (int64_t)((__atomic_load_n(&q->producer.index, __ATOMIC_ACQUIRE) & ~(uint64_t)1) - polled) <= 0;
}

CANDOR_QUEUE_LOOPS(candor_mpsc_chunked)

#ifdef __cplusplus
}
#endif

#endif
