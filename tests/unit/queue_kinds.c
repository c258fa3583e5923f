#include "queue_kinds.h"

#include <stdlib.h>
#include <string.h>

#define ADAPT(type)                                                                                                                        \
    static bool offer_##type(struct any_queue *q, void *element)                                                                           \
    {                                                                                                                                      \
        return type##_offer(&q->u.type, element);                                                                                          \
    }                                                                                                                                      \
    static bool relaxed_offer_##type(struct any_queue *q, void *element)                                                                   \
    {                                                                                                                                      \
        return type##_relaxed_offer(&q->u.type, element);                                                                                  \
    }                                                                                                                                      \
    static void *poll_##type(struct any_queue *q)                                                                                          \
    {                                                                                                                                      \
        return type##_poll(&q->u.type);                                                                                                    \
    }                                                                                                                                      \
    static void *relaxed_poll_##type(struct any_queue *q)                                                                                  \
    {                                                                                                                                      \
        return type##_relaxed_poll(&q->u.type);                                                                                            \
    }                                                                                                                                      \
    static void *peek_##type(struct any_queue *q)                                                                                          \
    {                                                                                                                                      \
        return type##_peek(&q->u.type);                                                                                                    \
    }                                                                                                                                      \
    static void *relaxed_peek_##type(struct any_queue *q)                                                                                  \
    {                                                                                                                                      \
        return type##_relaxed_peek(&q->u.type);                                                                                            \
    }                                                                                                                                      \
    static uint64_t fill_##type(struct any_queue *q, candor_queue_supply *supply, void *context, uint64_t limit)                           \
    {                                                                                                                                      \
        return type##_fill(&q->u.type, supply, context, limit);                                                                            \
    }                                                                                                                                      \
    static uint64_t drain_##type(struct any_queue *q, candor_queue_consume *consume, void *context, uint64_t limit)                        \
    {                                                                                                                                      \
        return type##_drain(&q->u.type, consume, context, limit);                                                                          \
    }                                                                                                                                      \
    static uint64_t fill_while_##type(struct any_queue *q, candor_queue_supply *supply, void *context,                                     \
                                      const struct candor_queue_loop *loop)                                                                \
    {                                                                                                                                      \
        return type##_fill_while(&q->u.type, supply, context, loop);                                                                       \
    }                                                                                                                                      \
    static uint64_t drain_while_##type(struct any_queue *q, candor_queue_consume *consume, void *context,                                  \
                                       const struct candor_queue_loop *loop)                                                               \
    {                                                                                                                                      \
        return type##_drain_while(&q->u.type, consume, context, loop);                                                                     \
    }                                                                                                                                      \
    static uint64_t walk_##type(struct any_queue *q, candor_queue_visit *visit, void *context)                                             \
    {                                                                                                                                      \
        return type##_walk(&q->u.type, visit, context);                                                                                    \
    }                                                                                                                                      \
    static uint64_t size_##type(struct any_queue *q)                                                                                       \
    {                                                                                                                                      \
        return type##_size(&q->u.type);                                                                                                    \
    }                                                                                                                                      \
    static bool is_empty_##type(struct any_queue *q)                                                                                       \
    {                                                                                                                                      \
        return type##_is_empty(&q->u.type);                                                                                                \
    }                                                                                                                                      \
    static uint64_t capacity_##type(struct any_queue *q)                                                                                   \
    {                                                                                                                                      \
        return type##_capacity(&q->u.type);                                                                                                \
    }

#define ADAPT_COUNTS(type)                                                                                                                 \
    static uint64_t offered_##type(struct any_queue *q)                                                                                    \
    {                                                                                                                                      \
        return type##_offered(&q->u.type);                                                                                                 \
    }                                                                                                                                      \
    static uint64_t polled_##type(struct any_queue *q)                                                                                     \
    {                                                                                                                                      \
        return type##_polled(&q->u.type);                                                                                                  \
    }

#define ADAPT_BATCH(type)                                                                                                                  \
    static uint64_t offer_n_##type(struct any_queue *q, void *const *elements, uint64_t count)                                             \
    {                                                                                                                                      \
        return type##_offer_n(&q->u.type, elements, count);                                                                                \
    }                                                                                                                                      \
    static uint64_t poll_n_##type(struct any_queue *q, void **out, uint64_t count)                                                         \
    {                                                                                                                                      \
        return type##_poll_n(&q->u.type, out, count);                                                                                      \
    }

#define ADAPT_DEINIT(type)                                                                                                                 \
    static void deinit_##type(struct any_queue *q)                                                                                         \
    {                                                                                                                                      \
        type##_deinit(&q->u.type);                                                                                                         \
    }

ADAPT(candor_spsc_array)
ADAPT_COUNTS(candor_spsc_array)
ADAPT_BATCH(candor_spsc_array)
ADAPT(candor_spsc_chunked)
ADAPT_COUNTS(candor_spsc_chunked)
ADAPT_DEINIT(candor_spsc_chunked)
ADAPT(candor_spsc_linked)
ADAPT_COUNTS(candor_spsc_linked)
ADAPT_DEINIT(candor_spsc_linked)
ADAPT(candor_mpsc_array)
ADAPT_COUNTS(candor_mpsc_array)
ADAPT_BATCH(candor_mpsc_array)
ADAPT(candor_mpsc_chunked)
ADAPT_COUNTS(candor_mpsc_chunked)
ADAPT_DEINIT(candor_mpsc_chunked)
ADAPT(candor_mpsc_linked)
ADAPT_DEINIT(candor_mpsc_linked)
ADAPT(candor_spmc_array)
ADAPT_COUNTS(candor_spmc_array)
ADAPT_BATCH(candor_spmc_array)
ADAPT(candor_mpmc_array)
ADAPT_COUNTS(candor_mpmc_array)
ADAPT_BATCH(candor_mpmc_array)

/* ---- making them ---- */

static void *dirty(size_t bytes)
{
    void *memory = aligned_alloc(128, (bytes + 127) & ~(size_t)127);

    if (!memory)
        abort();
    return memset(memory, 0xa5, bytes); /* memory need not be zero */
}

static void must(int rc)
{
    if (rc != 0)
        abort();
}

#define MAKE_ARRAY(type, CELL)                                                                                                             \
    static void make_##type(struct any_queue *q, uint64_t capacity, uint64_t start)                                                        \
    {                                                                                                                                      \
        q->memory = dirty(capacity * sizeof(CELL));                                                                                        \
        must(candor_##type##_array_init(&q->u.candor_##type##_array, (CELL *)q->memory, capacity));                                        \
        q->u.candor_##type##_array.producer.index = q->u.candor_##type##_array.consumer.index = start;                                     \
        start_##type(&q->u.candor_##type##_array, start);                                                                                  \
    }

static void start_spsc(struct candor_spsc_array *q, uint64_t start)
{
    q->producer.limit = start;
}

static void start_mpsc(struct candor_mpsc_array *q, uint64_t start)
{
    q->limit.index = start;
}

static void start_spmc(struct candor_spmc_array *q, uint64_t start)
{
    q->limit.index = start;
}

static void start_mpmc(struct candor_mpmc_array *q, uint64_t start)
{
    for (uint64_t i = start; i != start + q->mask + 1; i++)
        q->cells[i & q->mask].sequence = i;
}

MAKE_ARRAY(spsc, uint64_t)
MAKE_ARRAY(mpsc, uint64_t)
MAKE_ARRAY(spmc, uint64_t)
MAKE_ARRAY(mpmc, struct candor_mpmc_array_cell)

static void make_pool(struct any_queue *q, uint32_t chunks, uint32_t chunk_words)
{
    q->memory = dirty(candor_pool_bytes(chunks, chunk_words));
    must(candor_pool_init(&q->pool, q->memory, chunks, chunk_words));
}

/* The amount of memory that the header says is enough. */
static uint32_t chunks_for(uint64_t capacity)
{
    return (uint32_t)((capacity - 1) / (QUEUE_RING - 1) + 2);
}

static void start_chunked(struct any_queue *q, uint64_t start)
{
    struct candor_spsc_chunked *s = &q->u.candor_spsc_chunked;

    s->producer.index = s->consumer.index = s->producer.limit = s->producer.bound = start;
}

static void make_chunked(struct any_queue *q, uint64_t capacity, uint64_t start)
{
    make_pool(q, chunks_for(capacity), QUEUE_RING + 1);
    must(candor_spsc_chunked_init(&q->u.candor_spsc_chunked, &q->pool, capacity));
    start_chunked(q, start);
}

static void make_unbounded(struct any_queue *q, uint64_t capacity, uint64_t start)
{
    make_pool(q, chunks_for(QUEUE_MAX), QUEUE_RING + 1);
    must(candor_spsc_chunked_init(&q->u.candor_spsc_chunked, &q->pool, CANDOR_QUEUE_UNBOUNDED));
    start_chunked(q, start);
}

static void make_growable(struct any_queue *q, uint64_t capacity, uint64_t start)
{
    q->memory = dirty(candor_spsc_growable_bytes(2, capacity));
    must(candor_spsc_growable_init(&q->u.candor_spsc_chunked, q->memory, 2, capacity));
    start_chunked(q, start);
}

static void start_mpsc_chunked(struct any_queue *q, uint64_t start)
{
    struct candor_mpsc_chunked *m = &q->u.candor_mpsc_chunked;

    m->producer.index = m->consumer.index = m->ring.limit = 2 * start;
    m->ring.end = 2 * (start + m->mask);
}

static void make_mpsc_chunked(struct any_queue *q, uint64_t capacity, uint64_t start)
{
    make_pool(q, chunks_for(capacity), QUEUE_RING + 1);
    must(candor_mpsc_chunked_init(&q->u.candor_mpsc_chunked, &q->pool, capacity));
    start_mpsc_chunked(q, start);
}

static void make_mpsc_unbounded(struct any_queue *q, uint64_t capacity, uint64_t start)
{
    make_pool(q, chunks_for(QUEUE_MAX), QUEUE_RING + 1);
    must(candor_mpsc_chunked_init(&q->u.candor_mpsc_chunked, &q->pool, CANDOR_QUEUE_UNBOUNDED));
    start_mpsc_chunked(q, start);
}

static void make_spsc_linked(struct any_queue *q, uint64_t capacity, uint64_t start)
{
    make_pool(q, QUEUE_MAX + 1, 2);
    must(candor_spsc_linked_init(&q->u.candor_spsc_linked, &q->pool));
    q->u.candor_spsc_linked.producer.index = q->u.candor_spsc_linked.consumer.index = start;
}

static void make_mpsc_linked(struct any_queue *q, uint64_t capacity, uint64_t start)
{
    make_pool(q, QUEUE_MAX + 1, 2);
    must(candor_mpsc_linked_init(&q->u.candor_mpsc_linked, &q->pool));
}

#define METHODS(type)                                                                                                                      \
    .offer = offer_##type, .relaxed_offer = relaxed_offer_##type, .poll = poll_##type, .relaxed_poll = relaxed_poll_##type,                \
    .peek = peek_##type, .relaxed_peek = relaxed_peek_##type, .fill = fill_##type, .drain = drain_##type, .fill_while = fill_while_##type, \
    .drain_while = drain_while_##type, .walk = walk_##type, .size = size_##type, .is_empty = is_empty_##type, .capacity = capacity_##type
#define COUNTS(type) .offered = offered_##type, .polled = polled_##type
#define BATCH(type)  .offer_n = offer_n_##type, .poll_n = poll_n_##type, .bounded = true
#define POOL(type)   .deinit = deinit_##type, .pooled = true

const struct queue_kind queue_kinds[] = {
    {"spsc array", .make = make_spsc, METHODS(candor_spsc_array), COUNTS(candor_spsc_array), BATCH(candor_spsc_array)},
    {"spsc chunked", .make = make_chunked, METHODS(candor_spsc_chunked), COUNTS(candor_spsc_chunked), POOL(candor_spsc_chunked),
     .bounded = true},
    {"spsc unbounded", .make = make_unbounded, METHODS(candor_spsc_chunked), COUNTS(candor_spsc_chunked), POOL(candor_spsc_chunked)},
    {"spsc growable", .make = make_growable, METHODS(candor_spsc_chunked), COUNTS(candor_spsc_chunked), .bounded = true,
     .deinit = deinit_candor_spsc_chunked},
    {"spsc linked", .make = make_spsc_linked, METHODS(candor_spsc_linked), COUNTS(candor_spsc_linked), POOL(candor_spsc_linked)},
    {"mpsc array", true, .make = make_mpsc, METHODS(candor_mpsc_array), COUNTS(candor_mpsc_array), BATCH(candor_mpsc_array)},
    {"mpsc chunked", true, .make = make_mpsc_chunked, METHODS(candor_mpsc_chunked), COUNTS(candor_mpsc_chunked), POOL(candor_mpsc_chunked),
     .bounded = true},
    {"mpsc unbounded", true, .make = make_mpsc_unbounded, METHODS(candor_mpsc_chunked), COUNTS(candor_mpsc_chunked),
     POOL(candor_mpsc_chunked)},
    {"mpsc linked", true, .make = make_mpsc_linked, METHODS(candor_mpsc_linked), POOL(candor_mpsc_linked)},
    {"spmc array", false, true, .make = make_spmc, METHODS(candor_spmc_array), COUNTS(candor_spmc_array), BATCH(candor_spmc_array)},
    {"mpmc array", true, true, .make = make_mpmc, METHODS(candor_mpmc_array), COUNTS(candor_mpmc_array), BATCH(candor_mpmc_array)},
};
const unsigned queue_kind_count = sizeof queue_kinds / sizeof *queue_kinds;

bool queue_kind_free(const struct queue_kind *kind, struct any_queue *q)
{
    bool whole;

    if (kind->deinit)
        kind->deinit(q);
    whole = !kind->pooled || candor_pool_in_use(&q->pool) == 0;
    free(q->memory);
    return whole;
}
