/*
 * A bounded queue from many producers to many consumers: a ring of cells. Each cell has a sequence number that says which side may use
 * it next.
 *
 *     sequence of the cell of index i     i: empty, the producer of i may have it       i + 1: full, the consumer of i may
 *                                         i + capacity: empty, the producer of i + capacity may
 *     memory      | cells, mask |-128-| producers' index |-128-| consumers' index |
 *
 * Progress    offer needs the cell that was used a whole ring ago. It waits for a consumer that has claimed this cell and has not
 *             emptied it. poll and peek wait for a producer that has claimed the oldest cell and has not filled it. (Both cases are
 *             bubbles.) The relaxed forms do not wait: they are lock-free in control.
 * Signals     relaxed forms: yes, whatever they interrupt. Strict forms wait for a call that they may have interrupted: an offer
 *             for a poll, a poll for an offer.
 * Source      Dmitry Vyukov's bounded MPMC queue (1024cores.net); the exact detection of a full and an empty queue is as in JCTools'
 *             MpmcArrayQueue.
 */
#ifndef CANDOR_QUEUE_MPMC_ARRAY_H
#define CANDOR_QUEUE_MPMC_ARRAY_H

#include "candor/queue/common.h"

#ifdef __cplusplus
extern "C" {
#endif

struct candor_mpmc_array_cell { /* atomic words */
    uint64_t sequence;
    uint64_t element;
};

struct candor_mpmc_array_side {
    uint64_t index; /* number of elements ever offered, or polled (claimed); atomic */
};

struct candor_mpmc_array {
    struct candor_mpmc_array_cell *cells CANDOR_QUEUE_ALIGNED; /* these two are constant after init */
    uint64_t mask;
    struct candor_mpmc_array_side producer CANDOR_QUEUE_ALIGNED;
    struct candor_mpmc_array_side consumer CANDOR_QUEUE_ALIGNED;
};

/* Owner. Initializes a queue. `cells` has room for `capacity` cells with any content, is borrowed and must outlive the queue. Returns 0,
 * or -EINVAL unless the capacity is a power of two from 2 to 2^32. */
int candor_mpmc_array_init(struct candor_mpmc_array *q, struct candor_mpmc_array_cell *cells, uint64_t capacity);

static inline uint64_t candor_mpmc_array_capacity(const struct candor_mpmc_array *q)
{
    return q->mask + 1;
}

static inline struct candor_mpmc_array_cell *candor_mpmc_array_at(const struct candor_mpmc_array *q, uint64_t i)
{
    return &q->cells[i & q->mask];
}

/* Compares the sequence number of the cell of index i with the one that the caller needs. Returns 0 if the caller may claim i, a
 * positive number if i has been claimed already, and a negative number if the other side has not reached i yet. Acquire: pairs with the
 * releases of sequences in store and take. */
static inline int64_t candor_mpmc_array_ahead(const struct candor_mpmc_array *q, uint64_t i, uint64_t needed)
{
    return (int64_t)(__atomic_load_n(&candor_mpmc_array_at(q, i)->sequence, __ATOMIC_ACQUIRE) - needed);
}

/* Producer. Claims an empty cell, to which the producer must then store. Returns false if the queue is full or, unless `wait`, if a
 * consumer still reads the cell. */
static inline bool candor_mpmc_array_claim_empty(struct candor_mpmc_array *q, bool wait, uint64_t *claimed)
{
    /* Relaxed, here and below: a guess, which the exchange checks. The exchange decides which producer has the cell, and publishes
     * nothing. */
    uint64_t i = __atomic_load_n(&q->producer.index, __ATOMIC_RELAXED);

    for (;;) {
        int64_t ahead = candor_mpmc_array_ahead(q, i, i);

        if (ahead == 0) {
            if (__atomic_compare_exchange_n(&q->producer.index, &i, i + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
                *claimed = i;
                return true;
            }
            continue;
        }
        if (ahead < 0) {
            /* Relaxed: a poll that returned before this call has emptied its cell; the index is needed only for polls in progress. */
            if (!wait || (int64_t)(i - __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED) - q->mask) > 0)
                return false;
            candor_queue_pause();
        }
        i = __atomic_load_n(&q->producer.index, __ATOMIC_RELAXED);
    }
}

static inline void candor_mpmc_array_store(struct candor_mpmc_array *q, uint64_t i, void *element)
{
    struct candor_mpmc_array_cell *cell = candor_mpmc_array_at(q, i);

    /* Release: pairs with the acquire in peek. A consumer that reads this element knows that the previous element of the cell was
     * claimed. */
    __atomic_store_n(&cell->element, candor_queue_word(element), __ATOMIC_RELEASE);
    /* Release: pairs with the acquire in ahead; publishes the element and the data that it points to. */
    __atomic_store_n(&cell->sequence, i + 1, __ATOMIC_RELEASE);
}

static inline bool candor_mpmc_array_put(struct candor_mpmc_array *q, void *element, bool wait)
{
    uint64_t i;

    if (candor_queue_refuses(element) || !candor_mpmc_array_claim_empty(q, wait, &i))
        return false;
    candor_mpmc_array_store(q, i, element);
    return true;
}

static inline bool candor_mpmc_array_offer(struct candor_mpmc_array *q, void *element)
{
    return candor_mpmc_array_put(q, element, true);
}

static inline bool candor_mpmc_array_relaxed_offer(struct candor_mpmc_array *q, void *element)
{
    return candor_mpmc_array_put(q, element, false);
}

/* Offers the elements one by one, so elements of other producers may come between them. It waits at most for the first element. */
static inline uint64_t candor_mpmc_array_offer_n(struct candor_mpmc_array *q, void *const *elements, uint64_t count)
{
    uint64_t n = 0;

    while (n < count && candor_mpmc_array_put(q, elements[n], n == 0))
        n++;
    return n;
}

static inline uint64_t candor_mpmc_array_fill(struct candor_mpmc_array *q, candor_queue_supply *supply, void *context, uint64_t limit)
{
    uint64_t i, n = 0;

    for (; n < limit && candor_mpmc_array_claim_empty(q, n == 0, &i); n++)
        candor_mpmc_array_store(q, i, supply(context));
    return n;
}

static inline void *candor_mpmc_array_take(struct candor_mpmc_array *q, bool wait)
{
    uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED), word; /* relaxed: as for the producers' index */

    for (;;) {
        int64_t ahead = candor_mpmc_array_ahead(q, i, i + 1);

        if (ahead == 0) {
            if (__atomic_compare_exchange_n(&q->consumer.index, &i, i + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                break;
            continue;
        }
        if (ahead < 0) {
            /* Relaxed: an offer that returned before this call is seen in the cell; the index is needed only for offers in progress. */
            if (!wait || (int64_t)(__atomic_load_n(&q->producer.index, __ATOMIC_RELAXED) - i) <= 0)
                return NULL;
            candor_queue_pause();
        }
        i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED);
    }
    word = __atomic_load_n(&candor_mpmc_array_at(q, i)->element, __ATOMIC_RELAXED); /* relaxed: the sequence has published it */
    /* Release: pairs with the acquire in ahead; the cell is not used here any more. */
    __atomic_store_n(&candor_mpmc_array_at(q, i)->sequence, i + q->mask + 1, __ATOMIC_RELEASE);
    return candor_queue_element(word);
}

static inline void *candor_mpmc_array_poll(struct candor_mpmc_array *q)
{
    return candor_mpmc_array_take(q, true);
}

static inline void *candor_mpmc_array_relaxed_poll(struct candor_mpmc_array *q)
{
    return candor_mpmc_array_take(q, false);
}

static inline uint64_t candor_mpmc_array_poll_n(struct candor_mpmc_array *q, void **out, uint64_t count)
{
    uint64_t n = 0;

    while (n < count && (out[n] = candor_mpmc_array_take(q, false)))
        n++;
    return n;
}

/* Consumer. Returns the oldest element. Another consumer may take it before this one does. */
static inline void *candor_mpmc_array_look(struct candor_mpmc_array *q, bool wait)
{
    for (;;) {
        uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED);
        int64_t ahead = candor_mpmc_array_ahead(q, i, i + 1);

        if (ahead == 0) {
            /* Acquire: pairs with the release in store. If the cell has a later element, the index has moved. */
            uint64_t word = __atomic_load_n(&candor_mpmc_array_at(q, i)->element, __ATOMIC_ACQUIRE);

            if (__atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED) == i)
                return candor_queue_element(word);
        } else if (ahead < 0) {
            if (!wait || (int64_t)(__atomic_load_n(&q->producer.index, __ATOMIC_RELAXED) - i) <= 0) /* as in take */
                return NULL;
            candor_queue_pause();
        }
    }
}

static inline void *candor_mpmc_array_peek(struct candor_mpmc_array *q)
{
    return candor_mpmc_array_look(q, true);
}

static inline void *candor_mpmc_array_relaxed_peek(struct candor_mpmc_array *q)
{
    return candor_mpmc_array_look(q, false);
}

static inline uint64_t candor_mpmc_array_walk(const struct candor_mpmc_array *q, candor_queue_visit *visit, void *context)
{
    /* Relaxed, both: where to begin and end; the cells tell what is there. */
    uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED), n = 0;
    uint64_t end = __atomic_load_n(&q->producer.index, __ATOMIC_RELAXED);

    if ((int64_t)(end - i) > (int64_t)q->mask + 1) /* polls moved on between the two loads */
        end = i + q->mask + 1;
    for (; (int64_t)(end - i) > 0; i++) {
        uint64_t word;

        if (candor_mpmc_array_ahead(q, i, i + 1) != 0)
            continue; /* a bubble, or polled */
        /* Acquire, and the index after it: as in look. */
        word = __atomic_load_n(&candor_mpmc_array_at(q, i)->element, __ATOMIC_ACQUIRE);
        if ((int64_t)(__atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED) - i) > 0)
            continue;
        n++;
        if (!visit(context, candor_queue_element(word)))
            break;
    }
    return n;
}

CANDOR_QUEUE_COUNTS(candor_mpmc_array)
CANDOR_QUEUE_LOOPS(candor_mpmc_array)

#ifdef __cplusplus
}
#endif

#endif
