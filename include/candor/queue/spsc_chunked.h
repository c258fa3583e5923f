/*
 * Queues from one producer to one consumer in linked rings of slots: one that is bounded, one that only its pool bounds, and one
 * whose ring doubles until it holds all. The memory that is touched follows what waits in the queue: while the consumer keeps
 * up one ring serves forever.
 *
 *     ring of 4, and its link     | e4 | e5 | e6 | JUMP | link |----> | . | . | . | e7 | . |
 *                                        ^ consumer.index = 5          ^ producer.index = 8
 *
 * An element has the same offset in any ring: index & mask. The producer always keeps the slot of the next index empty; when
 * the one behind it is not, that slot gets JUMP and the queue goes on in a new ring.
 *
 *     memory      | what is constant |-128-| producer's |-128-| consumer's |
 *
 * Progress    both sides wait-free, in control and in progress; a new ring costs its producer the clearing of its slots and a
 *             bounded search in the pool's bitmap.
 * Signals     either side may be a handler, if nothing it can interrupt, and nothing that can interrupt it, is the same side.
 * Source      JCTools' SpscUnboundedArrayQueue, SpscChunkedArrayQueue and SpscGrowableArrayQueue. New here: the pool, and that the
 *             link is made before the element, so that a producer can have room without an element yet.
 */
#ifndef CANDOR_QUEUE_SPSC_CHUNKED_H
#define CANDOR_QUEUE_SPSC_CHUNKED_H

#include "candor/queue/common.h"
#include "candor/queue/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

struct candor_spsc_chunked_producer {
    uint64_t index; /* elements ever offered; atomic */
    uint64_t limit; /* slots of indices before it are known to be empty, and within the bound */
    uint64_t bound; /* consumer.index, as last seen, and the capacity */
    uint64_t *slots;
    uint64_t mask;
    uint64_t *rest; /* growable: the memory behind its rings so far */
};

struct candor_spsc_chunked_consumer {
    uint64_t index; /* elements ever polled; atomic */
    uint64_t *slots;
    uint64_t mask;
};

struct candor_spsc_chunked {
    struct candor_pool *pool CANDOR_QUEUE_ALIGNED; /* NULL: growable */
    uint64_t capacity;
    struct candor_spsc_chunked_producer producer CANDOR_QUEUE_ALIGNED;
    struct candor_spsc_chunked_consumer consumer CANDOR_QUEUE_ALIGNED;
};

/* Owner. A queue of at most `capacity` elements (any number, or CANDOR_QUEUE_UNBOUNDED) in chunks of the pool, which is borrowed
 * and must outlive the queue. A ring has the largest power of two of slots that leaves a word of the chunk: chunks of 513 words
 * hold 512. The queue owns one chunk from init on, and at most (capacity - 1) / (slots - 1) + 2; an offer that finds the pool
 * empty fails as one to a full queue. 0; -EINVAL for chunks of less than 3 words or no capacity; -ENOMEM when the pool is empty. */
int candor_spsc_chunked_init(struct candor_spsc_chunked *q, struct candor_pool *pool, uint64_t capacity);

/* Bytes of memory for a growable queue from `initial` to `capacity` slots: all its rings beside each other. */
size_t candor_spsc_growable_bytes(uint64_t initial, uint64_t capacity);

/* Owner. A queue of at most `capacity` elements whose ring starts with `initial` slots and doubles when it is full. `memory`, of
 * candor_spsc_growable_bytes(), is borrowed; what has not been grown into is not touched. 0, or -EINVAL unless both are powers of
 * two, 2 <= initial <= capacity <= 2^32. */
int candor_spsc_growable_init(struct candor_spsc_chunked *q, uint64_t *memory, uint64_t initial, uint64_t capacity);

/* Owner. Drops all elements and gives the chunks back. */
void candor_spsc_chunked_deinit(struct candor_spsc_chunked *q);

/* Producer, inside has_room: a new limit, a new ring, or false when the queue is full. */
bool candor_spsc_chunked_extend(struct candor_spsc_chunked *q);

/* Consumer, inside peek: follows the link of a JUMP and leaves the old ring; the word in the slot there, 0 when it has none yet. */
uint64_t candor_spsc_chunked_follow(struct candor_spsc_chunked *q);

static inline uint64_t candor_spsc_chunked_capacity(const struct candor_spsc_chunked *q)
{
    return q->capacity;
}

/* Producer. */
static inline bool candor_spsc_chunked_has_room(struct candor_spsc_chunked *q, uint64_t i)
{
    return (int64_t)(q->producer.limit - i) > 0 || candor_spsc_chunked_extend(q);
}

static inline bool candor_spsc_chunked_offer(struct candor_spsc_chunked *q, void *element)
{
    uint64_t i = __atomic_load_n(&q->producer.index, __ATOMIC_RELAXED); /* relaxed: the producer's own */

    if (candor_queue_refuses(element) || !candor_spsc_chunked_has_room(q, i))
        return false;
    /* Release: pairs with the acquire in front; publishes what the element points to. */
    __atomic_store_n(&q->producer.slots[i & q->producer.mask], candor_queue_word(element), __ATOMIC_RELEASE);
    /* Release: pairs with the acquire in offered; who sees the count sees the element. */
    __atomic_store_n(&q->producer.index, i + 1, __ATOMIC_RELEASE);
    return true;
}

static inline uint64_t candor_spsc_chunked_fill(struct candor_spsc_chunked *q, candor_queue_supply *supply, void *context, uint64_t limit)
{
    uint64_t n = 0;

    while (n < limit && candor_spsc_chunked_has_room(q, __atomic_load_n(&q->producer.index, __ATOMIC_RELAXED)) &&
           candor_spsc_chunked_offer(q, supply(context)))
        n++;
    return n;
}

/* Consumer. The oldest element's word, 0 when there is none; afterwards consumer.slots is where it lies. */
static inline uint64_t candor_spsc_chunked_front(struct candor_spsc_chunked *q, uint64_t i)
{
    /* Acquire: pairs with the release in offer, and with that of extend's JUMP. */
    uint64_t word = __atomic_load_n(&q->consumer.slots[i & q->consumer.mask], __ATOMIC_ACQUIRE);

    return __builtin_expect(word == candor_queue_word(CANDOR_QUEUE_JUMP), 0) ? candor_spsc_chunked_follow(q) : word;
}

static inline void *candor_spsc_chunked_peek(struct candor_spsc_chunked *q)
{
    return candor_queue_element(candor_spsc_chunked_front(q, __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED)));
}

static inline void *candor_spsc_chunked_poll(struct candor_spsc_chunked *q)
{
    uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED); /* relaxed: the consumer's own */
    uint64_t word = candor_spsc_chunked_front(q, i);

    if (!word)
        return NULL;
    /* Release: pairs with the acquires in extend; the consumer has done with this slot and all before it. */
    __atomic_store_n(&q->consumer.slots[i & q->consumer.mask], 0, __ATOMIC_RELEASE);
    /* Release: pairs with the acquire in polled, and with that of the bound in extend. */
    __atomic_store_n(&q->consumer.index, i + 1, __ATOMIC_RELEASE);
    return candor_queue_element(word);
}

CANDOR_QUEUE_RELAXED_PRODUCER(candor_spsc_chunked)
CANDOR_QUEUE_RELAXED_CONSUMER(candor_spsc_chunked)
CANDOR_QUEUE_COUNTS(candor_spsc_chunked)
CANDOR_QUEUE_LOOPS(candor_spsc_chunked)

#ifdef __cplusplus
}
#endif

#endif
