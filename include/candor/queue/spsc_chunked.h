/*
 * Queues from one producer to one consumer in linked rings of slots: a bounded queue, one that is bounded only by its pool, and one
 * whose ring doubles until it holds all elements. The memory that is touched depends on the number of waiting elements: while the
 * consumer keeps up, one ring suffices.
 *
 *     ring of 4, and its link     | e4 | e5 | e6 | JUMP | link |----> | . | . | . | e7 | . |
 *                                        ^ consumer.index = 5          ^ producer.index = 8
 *
 * An element has the same offset in any ring: index & mask. The producer always keeps the slot of the next index empty. If the slot
 * after it is not empty, the slot of the next index gets JUMP, and the queue continues in a new ring.
 *
 *     memory      | what is constant |-128-| producer's |-128-| consumer's |
 *
 * Progress    both sides wait-free, in control and in progress; a new ring costs its producer the clearing of its slots and a
 *             bounded search in the pool's bitmap.
 * Signals     either side may be a handler, if no call of the same side can interrupt it or be interrupted by it.
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
    uint64_t bound; /* the last known consumer.index, plus the capacity */
    uint64_t *slots;
    uint64_t mask;
    uint64_t *rest; /* growable: the memory after its rings so far */
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

/* Owner. Initializes a queue of at most `capacity` elements (any number, or CANDOR_QUEUE_UNBOUNDED) in chunks of the pool, which is
 * borrowed and must outlive the queue. The slots of a ring are the largest power of two that leaves a word of the chunk: chunks of 513
 * words hold 512. The queue owns one chunk from init on, and at most (capacity - 1) / (slots - 1) + 2. An offer fails as if the queue
 * were full when the pool is empty. Returns 0; -EINVAL for chunks of less than 3 words or no capacity; -ENOMEM when the pool is empty. */
int candor_spsc_chunked_init(struct candor_spsc_chunked *q, struct candor_pool *pool, uint64_t capacity);

/* Returns the bytes of memory for a growable queue from `initial` to `capacity` slots: all its rings in a row. */
size_t candor_spsc_growable_bytes(uint64_t initial, uint64_t capacity);

/* Owner. Initializes a queue of at most `capacity` elements whose ring starts with `initial` slots and doubles when it is full.
 * `memory`, of candor_spsc_growable_bytes(), is borrowed. Memory of rings that are not needed yet is not touched. Returns 0, or -EINVAL
 * unless both are powers of two, 2 <= initial <= capacity <= 2^32. */
int candor_spsc_growable_init(struct candor_spsc_chunked *q, uint64_t *memory, uint64_t initial, uint64_t capacity);

/* Owner. Drops all elements and gives the chunks back. */
void candor_spsc_chunked_deinit(struct candor_spsc_chunked *q);

/* Consumer only, because it walks over the rings. */
uint64_t candor_spsc_chunked_walk(const struct candor_spsc_chunked *q, candor_queue_visit *visit, void *context);

/* Producer, called by has_room. Finds a new limit, or makes a new ring. Returns false when the queue is full. */
bool candor_spsc_chunked_extend(struct candor_spsc_chunked *q);

/* Consumer, called by peek. Follows the link of a JUMP and leaves the old ring. Returns the word in the slot of the new ring; 0 if it
 * has none yet. */
uint64_t candor_spsc_chunked_follow(struct candor_spsc_chunked *q);

static inline uint64_t candor_spsc_chunked_capacity(const struct candor_spsc_chunked *q)
{
    return q->capacity;
}

/* Producer. Whether there is room for the element of index i. */
static inline bool candor_spsc_chunked_has_room(struct candor_spsc_chunked *q, uint64_t i)
{
    return (int64_t)(q->producer.limit - i) > 0 || candor_spsc_chunked_extend(q);
}

static inline bool candor_spsc_chunked_offer(struct candor_spsc_chunked *q, void *element)
{
    uint64_t i = __atomic_load_n(&q->producer.index, __ATOMIC_RELAXED); /* relaxed: the producer's own */

    if (candor_queue_refuses(element) || !candor_spsc_chunked_has_room(q, i))
        return false;
    /* Release: pairs with the acquire in front; publishes the data that the element points to. */
    __atomic_store_n(&q->producer.slots[i & q->producer.mask], candor_queue_word(element), __ATOMIC_RELEASE);
    /* Release: pairs with the acquire in offered; a thread that sees the count sees the element. */
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

/* Consumer. Returns the oldest element's word; 0 if there is none. Afterwards consumer.slots is the ring that contains it. */
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
    /* Release: pairs with the acquires in extend; the consumer does not use this slot, or any slot before it, any more. */
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
