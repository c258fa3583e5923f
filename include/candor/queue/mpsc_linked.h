/*
 * A queue from many producers to one consumer as a list of nodes. The nodes come from a pool, one chunk of 2 words each, or from the
 * caller, who supplies one node with each element and gets one node back with each element. There is always one more node than elements.
 *
 *     consumer.node                                  producer.node
 *     | next | (taken) |-> | NULL | e7 |   (bubble)   | NULL | e8 |
 *     memory      | pool |-128-| producers' node |-128-| consumer's |
 *
 * Progress    offer_node is wait-free in control and in progress: it needs one exchange. offer takes its node from the pool. The search
 *             there is bounded, too, but it costs more than the list, so supply nodes if speed matters. poll and peek wait for a
 *             producer between its exchange and its link (a bubble). Their relaxed forms do not wait: they are wait-free in control,
 *             and see nothing behind the bubble.
 * Signals     producers: yes, whatever they interrupt. The consumer: relaxed forms only, because it may have interrupted a producer in
 *             a bubble.
 * Source      Dmitry Vyukov's non-intrusive MPSC queue (1024cores.net), as in JCTools' MpscLinkedQueue.
 */
#ifndef CANDOR_QUEUE_MPSC_LINKED_H
#define CANDOR_QUEUE_MPSC_LINKED_H

#include "candor/queue/common.h"
#include "candor/queue/pool.h"
#include "candor/queue/spsc_linked.h" /* struct candor_queue_node */

#ifdef __cplusplus
extern "C" {
#endif

struct candor_mpsc_linked_side {
    uint64_t node; /* address of a node, atomic. Producers: the newest element's. Consumer: that of the element that was taken last */
};

struct candor_mpsc_linked {
    struct candor_pool *pool CANDOR_QUEUE_ALIGNED; /* NULL: the producers supply nodes */
    struct candor_mpsc_linked_side producer CANDOR_QUEUE_ALIGNED;
    struct candor_mpsc_linked_side consumer CANDOR_QUEUE_ALIGNED;
};

/* Owner. Initializes a queue whose nodes the producers supply. `node` is the first node. */
static inline void candor_mpsc_linked_init_supplied(struct candor_mpsc_linked *q, struct candor_queue_node *node)
{
    node->next = 0;
    q->pool = NULL;
    q->producer.node = q->consumer.node = (uint64_t)(uintptr_t)node;
}

/* Owner. Initializes a queue whose nodes come from the pool, which is borrowed and must outlive the queue. An offer fails when the pool
 * is empty, as if the queue were full. Returns 0, or -ENOMEM if the pool is empty now. */
static inline int candor_mpsc_linked_init(struct candor_mpsc_linked *q, struct candor_pool *pool)
{
    uint64_t *node = candor_pool_take(pool);

    if (!node)
        return -ENOMEM;
    candor_mpsc_linked_init_supplied(q, (struct candor_queue_node *)node);
    q->pool = pool;
    return 0;
}

static inline uint64_t candor_mpsc_linked_capacity(const struct candor_mpsc_linked *q)
{
    (void)q;
    return CANDOR_QUEUE_UNBOUNDED;
}

/* Producer. Adds the element in a node that the caller supplies, and returns true. Returns false for the elements NULL and
 * CANDOR_QUEUE_JUMP; the node is then not taken. */
static inline bool candor_mpsc_linked_offer_node(struct candor_mpsc_linked *q, struct candor_queue_node *node, void *element)
{
    struct candor_queue_node *before;

    if (candor_queue_refuses(element))
        return false;
    node->element = candor_queue_word(element);
    __atomic_store_n(&node->next, 0, __ATOMIC_RELAXED); /* relaxed: published by the exchange */
    /* Release and acquire: pair with each other in two producers, so that the link below overwrites the NULL that the producer of that
     * node stored, and not vice versa. */
    before = (struct candor_queue_node *)(uintptr_t)__atomic_exchange_n(&q->producer.node, (uint64_t)(uintptr_t)node, __ATOMIC_ACQ_REL);
    /* Release: pairs with the acquire in next; publishes the node and the data that its element points to. */
    __atomic_store_n(&before->next, (uint64_t)(uintptr_t)node, __ATOMIC_RELEASE);
    return true;
}

/* Consumer. Returns the node of the oldest element; NULL if there is none or, unless `wait`, if it is not linked yet. */
static inline struct candor_queue_node *candor_mpsc_linked_next(struct candor_mpsc_linked *q, bool wait)
{
    uint64_t last = __atomic_load_n(&q->consumer.node, __ATOMIC_RELAXED); /* relaxed: the consumer's own */

    for (;;) {
        /* Acquire: pairs with the release in offer_node. */
        uint64_t next = __atomic_load_n(&((struct candor_queue_node *)(uintptr_t)last)->next, __ATOMIC_ACQUIRE);

        /* Relaxed: an offer that returned before this call has moved the producers' node; only its address is compared. */
        if (next || !wait || __atomic_load_n(&q->producer.node, __ATOMIC_RELAXED) == last)
            return (struct candor_queue_node *)(uintptr_t)next;
        candor_queue_pause();
    }
}

static inline void *candor_mpsc_linked_take(struct candor_mpsc_linked *q, bool wait, struct candor_queue_node **node)
{
    struct candor_queue_node *next = candor_mpsc_linked_next(q, wait);

    if (!next)
        return NULL;
    *node = (struct candor_queue_node *)(uintptr_t)__atomic_load_n(&q->consumer.node, __ATOMIC_RELAXED);
    __atomic_store_n(&q->consumer.node, (uint64_t)(uintptr_t)next, __ATOMIC_RELEASE); /* release: pairs with is_empty's acquire */
    return candor_queue_element(next->element);
}

/* Consumer. Does the same as poll and relaxed_poll, and also returns a node, which then belongs to the caller. */
static inline void *candor_mpsc_linked_poll_node(struct candor_mpsc_linked *q, struct candor_queue_node **node)
{
    return candor_mpsc_linked_take(q, true, node);
}

static inline void *candor_mpsc_linked_relaxed_poll_node(struct candor_mpsc_linked *q, struct candor_queue_node **node)
{
    return candor_mpsc_linked_take(q, false, node);
}

/* The functions offer, fill, drain and the polls below are for queues whose nodes come from a pool. */

static inline bool candor_mpsc_linked_offer(struct candor_mpsc_linked *q, void *element)
{
    uint64_t *node = q->pool && !candor_queue_refuses(element) ? candor_pool_take(q->pool) : NULL;

    return node && candor_mpsc_linked_offer_node(q, (struct candor_queue_node *)node, element);
}

CANDOR_QUEUE_RELAXED_PRODUCER(candor_mpsc_linked)

static inline uint64_t candor_mpsc_linked_fill(struct candor_mpsc_linked *q, candor_queue_supply *supply, void *context, uint64_t limit)
{
    uint64_t n = 0;

    for (; n < limit && q->pool; n++) {
        uint64_t *node = candor_pool_take(q->pool);

        if (!node)
            break;
        if (!candor_mpsc_linked_offer_node(q, (struct candor_queue_node *)node, supply(context))) {
            candor_pool_give(q->pool, node);
            break;
        }
    }
    return n;
}

static inline void *candor_mpsc_linked_poll(struct candor_mpsc_linked *q)
{
    struct candor_queue_node *node;
    void *element = candor_mpsc_linked_take(q, true, &node);

    if (element && q->pool)
        candor_pool_give(q->pool, (uint64_t *)node);
    return element;
}

static inline void *candor_mpsc_linked_relaxed_poll(struct candor_mpsc_linked *q)
{
    struct candor_queue_node *node;
    void *element = candor_mpsc_linked_take(q, false, &node);

    if (element && q->pool)
        candor_pool_give(q->pool, (uint64_t *)node);
    return element;
}

static inline void *candor_mpsc_linked_peek(struct candor_mpsc_linked *q)
{
    struct candor_queue_node *next = candor_mpsc_linked_next(q, true);

    return next ? candor_queue_element(next->element) : NULL;
}

static inline void *candor_mpsc_linked_relaxed_peek(struct candor_mpsc_linked *q)
{
    struct candor_queue_node *next = candor_mpsc_linked_next(q, false);

    return next ? candor_queue_element(next->element) : NULL;
}

/* Consumer only, because it walks over the nodes. */
static inline uint64_t candor_mpsc_linked_walk(const struct candor_mpsc_linked *q, candor_queue_visit *visit, void *context)
{
    uint64_t node = __atomic_load_n(&q->consumer.node, __ATOMIC_RELAXED), n = 0;
    uint64_t last = __atomic_load_n(&q->producer.node, __ATOMIC_RELAXED); /* relaxed: only its address is compared */

    while (node != last) {
        /* Acquire: pairs with the release in offer_node. */
        node = __atomic_load_n(&((const struct candor_queue_node *)(uintptr_t)node)->next, __ATOMIC_ACQUIRE);
        if (!node) /* a bubble */
            break;
        n++;
        if (!visit(context, candor_queue_element(((const struct candor_queue_node *)(uintptr_t)node)->element)))
            break;
    }
    return n;
}

static inline bool candor_mpsc_linked_go_on(void *context, void *element)
{
    (void)context;
    (void)element;
    return true;
}

/* Consumer only. Returns the number of elements that are linked, among those that were in the queue when the call began. */
static inline uint64_t candor_mpsc_linked_size(const struct candor_mpsc_linked *q)
{
    return candor_mpsc_linked_walk(q, candor_mpsc_linked_go_on, NULL);
}

/* Whether the queue is empty. The answer is exact for the consumer. Other threads may get an answer that was true at no instant, if
 * nodes are reused meanwhile. */
static inline bool candor_mpsc_linked_is_empty(const struct candor_mpsc_linked *q)
{
    uint64_t taken = __atomic_load_n(&q->consumer.node, __ATOMIC_ACQUIRE);

    return __atomic_load_n(&q->producer.node, __ATOMIC_ACQUIRE) == taken;
}

/* Owner. Drops all elements and gives the nodes back to the pool. Supplied nodes must be polled first; the last node is
 * q->consumer.node. */
static inline void candor_mpsc_linked_deinit(struct candor_mpsc_linked *q)
{
    while (candor_mpsc_linked_poll(q))
        ;
    if (q->pool)
        candor_pool_give(q->pool, (uint64_t *)(uintptr_t)q->consumer.node);
}

CANDOR_QUEUE_LOOPS(candor_mpsc_linked)

#ifdef __cplusplus
}
#endif

#endif
