/* The rare paths of the queue: a new limit, a new ring, the step from one ring to the next. */
#include "candor/queue/spsc_chunked.h"

#include <errno.h>

#include "ring.h"

#define MOST_AHEAD 4096

static void start(struct candor_spsc_chunked *q, uint64_t *ring, uint64_t slots, uint64_t capacity)
{
    *q = (struct candor_spsc_chunked){.capacity = capacity};
    ring_clear(ring, slots);
    q->producer.slots = q->consumer.slots = ring;
    q->producer.mask = q->consumer.mask = slots - 1;
}

int candor_spsc_chunked_init(struct candor_spsc_chunked *q, struct candor_pool *pool, uint64_t capacity)
{
    uint64_t slots = ring_slots(pool->chunk_words);
    uint64_t *ring;

    if (slots == 0 || capacity == 0)
        return -EINVAL;
    ring = candor_pool_take(pool);
    if (!ring)
        return -ENOMEM;
    start(q, ring, slots, capacity);
    q->pool = pool;
    return 0;
}

static bool is_growable(uint64_t initial, uint64_t capacity)
{
    return candor_queue_is_capacity(initial, 2) && candor_queue_is_capacity(capacity, 2) && initial <= capacity;
}

size_t candor_spsc_growable_bytes(uint64_t initial, uint64_t capacity)
{
    uint64_t words = 0;

    if (!is_growable(initial, capacity))
        return 0;
    for (uint64_t slots = initial; slots <= capacity; slots *= 2)
        words += slots + 1;
    return (size_t)words * sizeof(uint64_t);
}

int candor_spsc_growable_init(struct candor_spsc_chunked *q, uint64_t *memory, uint64_t initial, uint64_t capacity)
{
    if (!is_growable(initial, capacity))
        return -EINVAL;
    start(q, memory, initial, capacity);
    q->producer.rest = memory + initial + 1;
    return 0;
}

void candor_spsc_chunked_deinit(struct candor_spsc_chunked *q)
{
    while (candor_spsc_chunked_poll(q))
        ;
    if (q->pool)
        candor_pool_give(q->pool, q->consumer.slots);
    *q = (struct candor_spsc_chunked){0};
}

/* Whether the ring can hold all elements. Such a ring needs no JUMP, because each element within the bound has a slot. */
static bool is_final(const struct candor_spsc_chunked *q)
{
    return q->producer.mask >= q->capacity - 1;
}

static uint64_t look_ahead(uint64_t mask)
{
    uint64_t quarter = (mask + 1) / 4;

    return quarter > MOST_AHEAD ? MOST_AHEAD : quarter > 0 ? quarter : 1;
}

/* Continues at index i in a new ring. Returns false when there is no memory for it. */
static bool link_ring(struct candor_spsc_chunked *q, uint64_t i)
{
    struct candor_spsc_chunked_producer *p = &q->producer;
    uint64_t slots = q->pool ? p->mask + 1 : 2 * (p->mask + 1);
    uint64_t *next = q->pool ? candor_pool_take(q->pool) : p->rest;

    if (!next)
        return false;
    if (!q->pool)
        p->rest += slots + 1;
    ring_clear(next, slots);
    ring_link(p->slots, p->mask + 1, next);
    /* Release: pairs with the acquire in front; publishes the link and the ring to which it leads. */
    __atomic_store_n(&p->slots[i & p->mask], candor_queue_word(CANDOR_QUEUE_JUMP), __ATOMIC_RELEASE);
    p->slots = next;
    p->mask = slots - 1;
    return true;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return (int64_t)(a - b) < 0 ? a : b;
}

/* Returns the distance from the consumer's index to the bound. It is less than half of all indices, so that differences of indices keep
 * their sign. */
static uint64_t reach(uint64_t capacity)
{
    return capacity > INT64_MAX ? INT64_MAX : capacity;
}

bool candor_spsc_chunked_extend(struct candor_spsc_chunked *q)
{
    struct candor_spsc_chunked_producer *p = &q->producer;
    uint64_t i = __atomic_load_n(&p->index, __ATOMIC_RELAXED), step; /* relaxed: the producer's own */

    if ((int64_t)(p->bound - i) <= 0) {
        /* Acquire: pairs with the release in poll; the slots of earlier elements are empty. */
        p->bound = __atomic_load_n(&q->consumer.index, __ATOMIC_ACQUIRE) + reach(q->capacity);
        if ((int64_t)(p->bound - i) <= 0)
            return false;
    }
    if (is_final(q)) {
        p->limit = p->bound;
        return true;
    }
    step = look_ahead(p->mask);
    /* Acquire, both: they pair with the release in poll. Slots are emptied in order, so all slots before are empty, too. */
    if (!__atomic_load_n(&p->slots[(i + step) & p->mask], __ATOMIC_ACQUIRE)) {
        p->limit = earlier(i + step, p->bound);
    } else if (!__atomic_load_n(&p->slots[(i + 1) & p->mask], __ATOMIC_ACQUIRE)) {
        p->limit = i + 1;
    } else if (link_ring(q, i)) {
        p->limit = is_final(q) ? p->bound : earlier(i + p->mask, p->bound);
    } else {
        return false;
    }
    return true;
}

uint64_t candor_spsc_chunked_follow(struct candor_spsc_chunked *q)
{
    struct candor_spsc_chunked_consumer *c = &q->consumer;
    uint64_t i = __atomic_load_n(&c->index, __ATOMIC_RELAXED); /* relaxed: the consumer's own */
    uint64_t *old = c->slots;

    c->slots = ring_next(old, c->mask + 1);
    if (q->pool)
        candor_pool_give(q->pool, old);
    else
        c->mask = 2 * c->mask + 1;
    /* Acquire: pairs with the release in offer. */
    return __atomic_load_n(&c->slots[i & c->mask], __ATOMIC_ACQUIRE);
}

uint64_t candor_spsc_chunked_walk(const struct candor_spsc_chunked *q, candor_queue_visit *visit, void *context)
{
    uint64_t i = __atomic_load_n(&q->consumer.index, __ATOMIC_RELAXED), mask = q->consumer.mask, n = 0; /* relaxed: the consumer's own */
    /* Acquire: pairs with the release in offer; the slots of indices before it have their elements. */
    uint64_t end = __atomic_load_n(&q->producer.index, __ATOMIC_ACQUIRE);
    const uint64_t *slots = q->consumer.slots;

    /* The consumer is ahead of the count while it has polled an element whose offer has not stored its index yet. */
    while ((int64_t)(end - i) > 0) {
        uint64_t word = __atomic_load_n(&slots[i & mask], __ATOMIC_RELAXED);

        if (word == candor_queue_word(CANDOR_QUEUE_JUMP)) {
            slots = ring_next(slots, mask + 1);
            if (!q->pool)
                mask = 2 * mask + 1;
            continue;
        }
        i++;
        n++;
        if (!visit(context, candor_queue_element(word)))
            break;
    }
    return n;
}
