/*
 * A queue from one producer to one consumer as a list of nodes. The nodes come from a pool, one chunk of 2 words each, or from the
 * caller, who supplies one node with each element and gets one node back with each element. There is always one more node than elements.
 *
 *     consumer.node                       producer.node
 *     | next | (taken) |-> | next | e7 |-> | NULL | e8 |
 *     memory      | pool |-128-| producer's |-128-| consumer's |
 *
 * Progress    both sides are wait-free, in control and in progress. A node from the pool costs a bounded search in the pool's bitmap
 *             and two locked instructions, one to take it and one to give it back. That is many times the cost of the list, so supply
 *             nodes if speed matters.
 * Signals     either side may be a handler, if no call of the same side can interrupt it or be interrupted by it.
 * Source      the two-node list of Dmitry Vyukov's unbounded SPSC queue (1024cores.net), as in JCTools' SpscLinkedQueue; the link
 *             alone publishes, the index follows, so there is no bubble.
 */
#ifndef CANDOR_QUEUE_SPSC_LINKED_H
#define CANDOR_QUEUE_SPSC_LINKED_H

#include "candor/queue/common.h"
#include "candor/queue/pool.h"

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A node. It belongs to the queue from offer_node until a poll_node returns it. Its words may have any content before. */
struct candor_queue_node {
    uint64_t next; /* atomic */
    uint64_t element;
};

struct candor_spsc_linked_side {
    uint64_t index; /* number of elements ever offered, or polled; atomic */
    struct candor_queue_node *node;
};

struct candor_spsc_linked {
    struct candor_pool *pool CANDOR_QUEUE_ALIGNED; /* NULL: the producer supplies nodes */
    struct candor_spsc_linked_side producer CANDOR_QUEUE_ALIGNED;
    struct candor_spsc_linked_side consumer CANDOR_QUEUE_ALIGNED;
};

/* Owner. Initializes a queue whose nodes the producer supplies. `node` is the first node. */
static inline void candor_spsc_linked_init_supplied(struct candor_spsc_linked *q, struct candor_queue_node *node)
{
    node->next = 0;
    q->pool = NULL;
    q->producer.index = q->consumer.index = 0;
    q->producer.node = q->consumer.node = node;
}

/* Owner. Initializes a queue whose nodes come from the pool, which is borrowed and must outlive the queue. An offer fails when the pool
 * is empty, as if the queue were full. Returns 0, or -ENOMEM if the pool is empty now. */
static inline int candor_spsc_linked_init(struct candor_spsc_linked *q, struct candor_pool *pool)
{
    uint64_t *node = candor_pool_take(pool);

    if (!node)
        return -ENOMEM;
    candor_spsc_linked_init_supplied(q, (struct candor_queue_node *)node);
    q->pool = pool;
    return 0;
}

static inline uint64_t candor_spsc_linked_capacity(const struct candor_spsc_linked *q)
{
    (void)q;
    return CANDOR_QUEUE_UNBOUNDED;
}

/* Producer. Adds the element in a node that the caller supplies, and returns true. Returns false for NULL and CANDOR_QUEUE_JUMP; the
 * node is then not taken. */
static inline bool candor_spsc_linked_offer_node(struct candor_spsc_linked *q, struct candor_queue_node *node, void *element)
{
    uint64_t i = __atomic_load_n(&q->producer.index, __ATOMIC_RELAXED); /* relaxed: the producer's own */

    if (candor_queue_refuses(element))
        return false;
    node->element = candor_queue_word(element);
    __atomic_store_n(&node->next, 0, __ATOMIC_RELAXED); /* relaxed: published by the link to the node */
    /* Release: pairs with the acquire in poll_node; publishes the node and the data that its element points to. */
    __atomic_store_n(&q->producer.node->next, (uint64_t)(uintptr_t)node, __ATOMIC_RELEASE);
    q->producer.node = node;
    /* Release: pairs with the acquire in offered; a thread that sees the count sees the link. */
    __atomic_store_n(&q->producer.index, i + 1, __ATOMIC_RELEASE);
    return true;
}

/* Consumer. Does the same as poll, and also returns a node, which then belongs to the caller. */
static inline void *candor_spsc_linked_poll_node(struct candor_spsc_linked *q, struct candor_queue_node **node)
{
    struct candor_queue_node *old = q->consumer.node, *next;
    uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED); /* relaxed: the consumer's own */

    /* Acquire: pairs with the release in offer_node. */
    next = (struct candor_queue_node *)(uintptr_t)__atomic_load_n(&old->next, __ATOMIC_ACQUIRE);
    if (!next)
        return NULL;
    q->consumer.node = next;
    /* Release: pairs with the acquire in polled. */
    __atomic_store_n(&q->consumer.index, i + 1, __ATOMIC_RELEASE);
    *node = old;
    return candor_queue_element(next->element);
}

/* The methods below, except peek and the counts, are for queues whose nodes come from a pool. */

static inline bool candor_spsc_linked_offer(struct candor_spsc_linked *q, void *element)
{
    uint64_t *node = q->pool && !candor_queue_refuses(element) ? candor_pool_take(q->pool) : NULL;

    return node && candor_spsc_linked_offer_node(q, (struct candor_queue_node *)node, element);
}

static inline uint64_t candor_spsc_linked_fill(struct candor_spsc_linked *q, candor_queue_supply *supply, void *context, uint64_t limit)
{
    uint64_t n = 0;

    for (; n < limit && q->pool; n++) {
        uint64_t *node = candor_pool_take(q->pool);

        if (!node)
            break;
        if (!candor_spsc_linked_offer_node(q, (struct candor_queue_node *)node, supply(context))) {
            candor_pool_give(q->pool, node);
            break;
        }
    }
    return n;
}

static inline void *candor_spsc_linked_poll(struct candor_spsc_linked *q)
{
    struct candor_queue_node *node;
    void *element = candor_spsc_linked_poll_node(q, &node);

    if (element && q->pool)
        candor_pool_give(q->pool, (uint64_t *)node);
    return element;
}

static inline void *candor_spsc_linked_peek(struct candor_spsc_linked *q)
{
    /* Acquire: pairs with the release in offer_node. */
    uint64_t next = __atomic_load_n(&q->consumer.node->next, __ATOMIC_ACQUIRE);

    return next ? candor_queue_element(((struct candor_queue_node *)(uintptr_t)next)->element) : NULL;
}

/* Consumer only, because it walks over the nodes. */
static inline uint64_t candor_spsc_linked_walk(const struct candor_spsc_linked *q, candor_queue_visit *visit, void *context)
{
    const struct candor_queue_node *node = q->consumer.node;
    /* Acquire: pairs with the release in offer_node; the links of the counted elements are there. */
    uint64_t end = __atomic_load_n(&q->producer.index, __ATOMIC_ACQUIRE);
    /* Negative while the consumer has polled an element whose offer has not stored its index yet. */
    int64_t left = (int64_t)(end - __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED)), n = 0;

    while (n < left) {
        node = (const struct candor_queue_node *)(uintptr_t)__atomic_load_n(&node->next, __ATOMIC_RELAXED);
        n++;
        if (!visit(context, candor_queue_element(node->element)))
            break;
    }
    return (uint64_t)n;
}

/* Owner. Drops all elements and gives the nodes back to the pool. Supplied nodes must be polled first; the last node is
 * q->consumer.node. */
static inline void candor_spsc_linked_deinit(struct candor_spsc_linked *q)
{
    while (candor_spsc_linked_poll(q))
        ;
    if (q->pool)
        candor_pool_give(q->pool, (uint64_t *)q->consumer.node);
}

CANDOR_QUEUE_RELAXED_PRODUCER(candor_spsc_linked)
CANDOR_QUEUE_RELAXED_CONSUMER(candor_spsc_linked)
CANDOR_QUEUE_COUNTS(candor_spsc_linked)
CANDOR_QUEUE_LOOPS(candor_spsc_linked)

#ifdef __cplusplus
}
#endif

#endif
