#include "contender.h"

#include "candor/queue.h"

#include <stdlib.h>

#define RING   1024
#define CHUNKS (SLOTS / (RING - 1) + 2)

static uint64_t slots[SLOTS] __attribute__((aligned(128)));
static struct candor_mpmc_array_cell cells[SLOTS] __attribute__((aligned(128)));
static uint64_t memory[CHUNKS * (RING + 64)] __attribute__((aligned(4096)));
static uint64_t node_memory[2 * SLOTS + 4096] __attribute__((aligned(4096)));
static struct candor_queue_node nodes[SLOTS] __attribute__((aligned(128)));
static struct candor_pool pool;

static struct candor_spsc_array spsc_array;
static struct candor_spsc_chunked spsc_chunked, spsc_unbounded, spsc_growable;
static struct candor_spsc_linked spsc_linked, spsc_supplied;
static struct candor_mpsc_array mpsc_array;
static struct candor_mpsc_chunked mpsc_chunked;
static struct candor_mpsc_linked mpsc_linked, mpsc_supplied;
static struct candor_spmc_array spmc_array;
static struct candor_mpmc_array mpmc_array;

static void must(int rc)
{
    if (rc != 0)
        abort();
}

static void rings(void)
{
    must(candor_pool_bytes(CHUNKS, RING + 1) > sizeof memory);
    must(candor_pool_init(&pool, memory, CHUNKS, RING + 1));
}

static void node_pool(void)
{
    must(candor_pool_bytes(SLOTS, 2) > sizeof node_memory);
    must(candor_pool_init(&pool, node_memory, SLOTS, 2));
}

#define ARRAY(name, memory_of_it)                                                                                                          \
    static void name##_init(void)                                                                                                          \
    {                                                                                                                                      \
        must(candor_##name##_init(&name, memory_of_it, SLOTS));                                                                            \
    }                                                                                                                                      \
    CONTENDER(name, candor_##name##_offer(&name, element), element = candor_##name##_poll(&name))

ARRAY(spsc_array, slots)
ARRAY(mpsc_array, slots)
ARRAY(spmc_array, slots)
ARRAY(mpmc_array, cells)

#define POOLED(name, type, init_call, prepare)                                                                                             \
    static void name##_init(void)                                                                                                          \
    {                                                                                                                                      \
        prepare;                                                                                                                           \
        must(init_call);                                                                                                                   \
    }                                                                                                                                      \
    CONTENDER(name, type##_offer(&name, element), element = type##_poll(&name))

POOLED(spsc_chunked, candor_spsc_chunked, candor_spsc_chunked_init(&spsc_chunked, &pool, SLOTS), rings())
POOLED(spsc_unbounded, candor_spsc_chunked, candor_spsc_chunked_init(&spsc_unbounded, &pool, CANDOR_QUEUE_UNBOUNDED), rings())
POOLED(spsc_growable, candor_spsc_chunked, candor_spsc_growable_init(&spsc_growable, node_memory, 64, SLOTS),
       must(candor_spsc_growable_bytes(64, SLOTS) > sizeof node_memory))
POOLED(mpsc_chunked, candor_mpsc_chunked, candor_mpsc_chunked_init(&mpsc_chunked, &pool, SLOTS), rings())
POOLED(spsc_linked, candor_spsc_linked, candor_spsc_linked_init(&spsc_linked, &pool), node_pool())
POOLED(mpsc_linked, candor_mpsc_linked, candor_mpsc_linked_init(&mpsc_linked, &pool), node_pool())

/* Nodes are reused: node n is free when the element before it has been consumed. */
static void spsc_supplied_init(void)
{
    candor_spsc_linked_init_supplied(&spsc_supplied, &nodes[0]);
}

static void mpsc_supplied_init(void)
{
    candor_mpsc_linked_init_supplied(&mpsc_supplied, &nodes[0]);
}

#define NODE(n) (&nodes[(n) % SLOTS])
#define FREE(n) (n + 2 < SLOTS + __atomic_load_n(&race->consumed, __ATOMIC_ACQUIRE))

static struct candor_queue_node *back;

CONTENDER(spsc_supplied, FREE(n) && candor_spsc_linked_offer_node(&spsc_supplied, NODE(n), element),
          element = candor_spsc_linked_poll_node(&spsc_supplied, &back))
CONTENDER(mpsc_supplied, FREE(n) && candor_mpsc_linked_offer_node(&mpsc_supplied, NODE(n), element),
          element = candor_mpsc_linked_poll_node(&mpsc_supplied, &back))

/* The same poll as a collector's, and as liburcu's non-blocking dequeue: without reading the producers' index. */
#define RELAXED(name, type, init_of)                                                                                                       \
    static void name##_relaxed_init(void)                                                                                                  \
    {                                                                                                                                      \
        init_of();                                                                                                                         \
    }                                                                                                                                      \
    CONTENDER(name##_relaxed, type##_offer(&name, element), element = type##_relaxed_poll(&name))

RELAXED(mpsc_array, candor_mpsc_array, mpsc_array_init)
RELAXED(mpsc_chunked, candor_mpsc_chunked, mpsc_chunked_init)
CONTENDER(mpsc_supplied_relaxed, FREE(n) && candor_mpsc_linked_offer_node(&mpsc_supplied, NODE(n), element),
          element = candor_mpsc_linked_relaxed_poll_node(&mpsc_supplied, &back))
#define mpsc_supplied_relaxed_init mpsc_supplied_init

/* The strict poll of a queue with bubbles may wait for the producer, which has stopped by then, so init starts anew. */
#define ROW(group, name, text, base)                                                                                                       \
    {                                                                                                                                      \
        text, group, base, name##_init, NULL, name##_produce, name##_consume                                                               \
    }

const struct contender ours[] = {
    ROW("spsc", spsc_array, "candor spsc array", true),
    ROW("spsc", spsc_chunked, "candor spsc chunked", false),
    ROW("spsc", spsc_unbounded, "candor spsc unbounded", false),
    ROW("spsc", spsc_growable, "candor spsc growable", false),
    ROW("spsc", spsc_linked, "candor spsc linked (pool)", false),
    ROW("spsc", spsc_supplied, "candor spsc linked (nodes)", false),
    ROW("mpsc", mpsc_array_relaxed, "candor mpsc array (relaxed)", true),
    ROW("mpsc", mpsc_array, "candor mpsc array", false),
    ROW("mpsc", mpsc_chunked_relaxed, "candor mpsc chunked (relaxed)", false),
    ROW("mpsc", mpsc_chunked, "candor mpsc chunked", false),
    ROW("mpsc", mpsc_linked, "candor mpsc linked (pool)", false),
    ROW("mpsc", mpsc_supplied_relaxed, "candor mpsc linked (nodes; relaxed)", false),
    ROW("mpsc", mpsc_supplied, "candor mpsc linked (nodes)", false),
    ROW("mpmc", mpmc_array, "candor mpmc array", true),
    ROW("mpmc", spmc_array, "candor spmc array", false),
};
const size_t ours_count = sizeof ours / sizeof *ours;
