/*
 * Definitions that all queues of elements share. An element is any pointer except NULL and CANDOR_QUEUE_JUMP; an offer refuses these two
 * as if the queue were full. The caller owns the queues and their memory. No call allocates, locks, makes a system call or touches
 * errno.
 *
 * The methods of a queue of type T are named `candor_T_METHOD(q, ...)`. "Producer" and "consumer" say which side may call a method. The
 * name says how many threads a side may have at once: spsc, mpsc, spmc, mpmc (single or multiple producers, single or multiple
 * consumers).
 *
 *     offer(q, e)          producer   adds e and returns true. False only when the queue is full
 *     poll(q)              consumer   removes and returns the oldest element. NULL only when the queue is empty
 *     peek(q)              consumer   returns the oldest element, which stays. NULL only when the queue is empty
 *     relaxed_offer/poll/peek         may fail although the queue is neither full nor empty, where the strict form would wait
 *                                     for another thread or try again; the memory orders are the same
 *     offer_n(q, e, n)     producer   (arrays) adds the first elements of e[0..n) that fit; returns their number
 *     poll_n(q, out, n)    consumer   (arrays) removes up to n elements into `out` without waiting; returns their number
 *     fill(q, supply, context, limit)     producer  adds up to `limit` elements while there is room; returns their number.
 *                                         `supply` is called only if there is room for an element, and must return one
 *     drain(q, consume, context, limit)   consumer  removes up to `limit` elements, as relaxed_poll does; returns their number
 *     fill_while, drain_while(q, ..., loop)   the same until `running` of `loop` returns false, which is called at least every
 *                                             CANDOR_QUEUE_TURN elements; waits with `idle` when there is nothing to do; returns the total
 *     walk(q, visit, context)         calls `visit` for the elements, oldest first, and takes none, until `visit` returns false;
 *                                         returns the number of calls. By whom, and what it sees: below
 *     size(q)              anyone     number of elements at an instant during the call, 0 .. capacity (may change before it returns)
 *     is_empty(q)          anyone     false: there was an element, so a poll by the only consumer does not return NULL
 *     capacity(q)          anyone     CANDOR_QUEUE_UNBOUNDED for a queue that is bounded only by its memory
 *     offered, polled(q)   anyone     number of elements ever added and removed; may include elements claimed by a call in progress
 *
 * A walk never waits, and ends although others go on: it visits no more elements than the queue had room for when it began. It visits
 * each element whose offer returned before the call and whose poll begins after it, once and in the order of the queue; never one whose
 * poll returned before the call; and perhaps some whose offer or poll overlaps the call. (In mpsc_linked it sees nothing behind a bubble.)
 * Arrays may be walked by anyone, the other queues by their consumer alone, because a poll gives their memory back. `visit` may use what
 * an element points to if no other thread can take and free it: the only consumer always may. It must not poll. If another
 * thread than the consumer walks over an spsc_array, the newest elements may come before older ones.
 *
 * Everything that a producer did before an offer happens before everything that the consumer does after it received the element.
 * Everything that a consumer did before a poll happens before everything that a producer does after it found the free place.
 *
 * Progress has two aspects. *Control*: the call returns in a bounded number of its own steps (wait-free), or some call does (lock-free),
 * or it may wait for a peer (blocking). *Progress*: the effect on this side of a peer that stops forever in the middle of a call. A
 * bubble is an element whose producer has claimed its place but has not stored it yet. Elements behind a bubble are not visible.
 */
#ifndef CANDOR_QUEUE_COMMON_H
#define CANDOR_QUEUE_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two cache lines, because the hardware fetches lines in pairs. Data that the two sides write is this far apart. */
#define CANDOR_QUEUE_ALIGNED __attribute__((aligned(128)))

#define CANDOR_QUEUE_UNBOUNDED UINT64_MAX

/* The number of slots in a cache line, and the distance at which a producer fetches lines ahead. The distance is large enough for a line
 * to arrive in time, and small enough for a small ring. */
#define CANDOR_QUEUE_LINE  8
#define CANDOR_QUEUE_AHEAD 128

/* A value in the place of an element: the consumer continues in the next chunk. */
#define CANDOR_QUEUE_JUMP ((void *)UINTPTR_MAX)

/* The number of elements between two calls of `running`. */
#define CANDOR_QUEUE_TURN 4096

typedef void candor_queue_consume(void *context, void *element);
typedef void *candor_queue_supply(void *context);
typedef bool candor_queue_visit(void *context, void *element); /* false: the walk ends */

/* The functions with which fill_while and drain_while wait and end. */
struct candor_queue_loop {
    bool (*running)(void *context); /* false: return */
    /* Waits a little. It is called when there is nothing to do. idle_turns is 0 for the first such call in a row, and then the result of
     * the call before. */
    uint64_t (*idle)(void *context, uint64_t idle_turns);
    void *context;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Tells the processor that this loop waits. candor_queue_idle_spin can be used as `idle`, but is of little use if there are more threads
 * than processors. */
void candor_queue_pause(void);
uint64_t candor_queue_idle_spin(void *context, uint64_t idle_turns);

/* ---- for the queues' own headers ---- */

static inline bool candor_queue_refuses(const void *element)
{
    return (uintptr_t)element + 1 < 2;
}

/* Gives a hint to fetch a slot's cache line for writing from the processor that wrote it last. It never fails, whatever the address. The
 * builtin alone fetches lines only for reading, unless the compiler may assume a newer processor. */
static inline void candor_queue_fetch(uint64_t *slot)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(*slot));
#else
    __builtin_prefetch(slot, 1);
#endif
}

static inline uint64_t candor_queue_word(const void *element)
{
    return (uint64_t)(uintptr_t)element;
}

static inline void *candor_queue_element(uint64_t word)
{
    return (void *)(uintptr_t)word;
}

/* Returns the number of elements between the producer's and the consumer's index, which step by `step`. The consumer's index is read
 * before and after the producer's, until both readings are equal. Lock-free. Acquire: the three loads stay in this order. */
static inline uint64_t candor_queue_span(const uint64_t *produced, const uint64_t *consumed, uint64_t step, uint64_t capacity)
{
    uint64_t before, after = __atomic_load_n(consumed, __ATOMIC_ACQUIRE), at;
    int64_t size;

    do {
        before = after;
        at = __atomic_load_n(produced, __ATOMIC_ACQUIRE);
        after = __atomic_load_n(consumed, __ATOMIC_ACQUIRE);
    } while (before != after);
    size = (int64_t)(at - before) / (int64_t)step; /* negative while one side has published its step and the other has not yet */
    return size < 0 ? 0 : (uint64_t)size > capacity ? capacity : (uint64_t)size;
}

/* Walks over the slots of an array from the consumers' index to the producers'. */
static inline uint64_t candor_queue_walk_slots(const uint64_t *slots, uint64_t mask, const uint64_t *produced, const uint64_t *consumed,
                                               candor_queue_visit *visit, void *context)
{
    /* Acquire, both: they pair with the releases of the indices. In each slot between them the walk finds its element, or what came later.
     * With many producers the first does this, otherwise the second. */
    uint64_t i = __atomic_load_n(consumed, __ATOMIC_ACQUIRE), n = 0;
    uint64_t end = __atomic_load_n(produced, __ATOMIC_ACQUIRE);

    if ((int64_t)(end - i) > (int64_t)mask + 1) /* polls moved on between the two loads */
        end = i + mask + 1;
    for (; (int64_t)(end - i) > 0; i++) {
        /* Acquire: pairs with the release of the element. If the slot has a later one, the index below has moved beyond i (but not
         * yet in a queue from one producer to one consumer). */
        uint64_t word = __atomic_load_n(&slots[i & mask], __ATOMIC_ACQUIRE);

        if (!word || (int64_t)(__atomic_load_n(consumed, __ATOMIC_RELAXED) - i) > 0)
            continue; /* a bubble, or polled */
        n++;
        if (!visit(context, candor_queue_element(word)))
            break;
    }
    return n;
}

/* Whether an array may have this number of slots: it is a power of two, and at least `least`. */
static inline bool candor_queue_is_capacity(uint64_t capacity, uint64_t least)
{
    return capacity >= least && capacity <= (uint64_t)1 << 32 && (capacity & (capacity - 1)) == 0;
}

#ifdef __cplusplus
}
#endif

/* Defines the relaxed forms for a side whose strict form never waits. */
#define CANDOR_QUEUE_RELAXED_PRODUCER(type)                                                                                                \
    static inline bool type##_relaxed_offer(struct type *q, void *element)                                                                 \
    {                                                                                                                                      \
        return type##_offer(q, element);                                                                                                   \
    }

#define CANDOR_QUEUE_RELAXED_CONSUMER(type)                                                                                                \
    static inline void *type##_relaxed_poll(struct type *q)                                                                                \
    {                                                                                                                                      \
        return type##_poll(q);                                                                                                             \
    }                                                                                                                                      \
    static inline void *type##_relaxed_peek(struct type *q)                                                                                \
    {                                                                                                                                      \
        return type##_peek(q);                                                                                                             \
    }

/* Defines the counts of a queue whose two indices step by one. */
#define CANDOR_QUEUE_COUNTS(type)                                                                                                          \
    static inline uint64_t type##_size(const struct type *q)                                                                               \
    {                                                                                                                                      \
        return candor_queue_span(&q->producer.index, &q->consumer.index, 1, type##_capacity(q));                                           \
    }                                                                                                                                      \
    static inline uint64_t type##_offered(const struct type *q)                                                                            \
    {                                                                                                                                      \
        return __atomic_load_n(&q->producer.index, __ATOMIC_ACQUIRE);                                                                      \
    }                                                                                                                                      \
    static inline uint64_t type##_polled(const struct type *q)                                                                             \
    {                                                                                                                                      \
        return __atomic_load_n(&q->consumer.index, __ATOMIC_ACQUIRE);                                                                      \
    }                                                                                                                                      \
    /* The consumer's index is read first: an element that is added meanwhile makes the queue less empty. */                               \
    static inline bool type##_is_empty(const struct type *q)                                                                               \
    {                                                                                                                                      \
        uint64_t polled = type##_polled(q);                                                                                                \
                                                                                                                                           \
        return (int64_t)(type##_offered(q) - polled) <= 0;                                                                                 \
    }

/* Defines the walk of an array of slots. */
#define CANDOR_QUEUE_WALK(type)                                                                                                            \
    static inline uint64_t type##_walk(const struct type *q, candor_queue_visit *visit, void *context)                                     \
    {                                                                                                                                      \
        return candor_queue_walk_slots(q->slots, q->mask, &q->producer.index, &q->consumer.index, visit, context);                         \
    }

/* Defines the methods that use only relaxed_poll and fill, in every queue. */
#define CANDOR_QUEUE_LOOPS(type)                                                                                                           \
    static inline uint64_t type##_drain(struct type *q, candor_queue_consume *consume, void *context, uint64_t limit)                      \
    {                                                                                                                                      \
        uint64_t n = 0;                                                                                                                    \
        void *element;                                                                                                                     \
                                                                                                                                           \
        for (; n < limit && (element = type##_relaxed_poll(q)); n++)                                                                       \
            consume(context, element);                                                                                                     \
        return n;                                                                                                                          \
    }                                                                                                                                      \
    static inline uint64_t type##_drain_while(struct type *q, candor_queue_consume *consume, void *context,                                \
                                              const struct candor_queue_loop *loop)                                                        \
    {                                                                                                                                      \
        uint64_t n = 0, idle = 0;                                                                                                          \
                                                                                                                                           \
        while (loop->running(loop->context)) {                                                                                             \
            uint64_t drained = type##_drain(q, consume, context, CANDOR_QUEUE_TURN);                                                       \
                                                                                                                                           \
            idle = drained ? 0 : loop->idle(loop->context, idle);                                                                          \
            n += drained;                                                                                                                  \
        }                                                                                                                                  \
        return n;                                                                                                                          \
    }                                                                                                                                      \
    static inline uint64_t type##_fill_while(struct type *q, candor_queue_supply *supply, void *context,                                   \
                                             const struct candor_queue_loop *loop)                                                         \
    {                                                                                                                                      \
        uint64_t n = 0, idle = 0;                                                                                                          \
                                                                                                                                           \
        while (loop->running(loop->context)) {                                                                                             \
            uint64_t filled = type##_fill(q, supply, context, CANDOR_QUEUE_TURN);                                                          \
                                                                                                                                           \
            idle = filled ? 0 : loop->idle(loop->context, idle);                                                                           \
            n += filled;                                                                                                                   \
        }                                                                                                                                  \
        return n;                                                                                                                          \
    }

#endif
