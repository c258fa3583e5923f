/* All queues of elements behind one table, for tests that apply to each of them. */
#ifndef TESTS_QUEUE_KINDS_H
#define TESTS_QUEUE_KINDS_H

#include "candor/queue.h"

/* A queue with its memory. */
struct any_queue {
    union {
        struct candor_spsc_array candor_spsc_array;
        struct candor_spsc_chunked candor_spsc_chunked;
        struct candor_spsc_linked candor_spsc_linked;
        struct candor_mpsc_array candor_mpsc_array;
        struct candor_mpsc_chunked candor_mpsc_chunked;
        struct candor_mpsc_linked candor_mpsc_linked;
        struct candor_spmc_array candor_spmc_array;
        struct candor_mpmc_array candor_mpmc_array;
    } u;
    struct candor_pool pool;
    uint64_t *memory;
};

enum { QUEUE_RING = 8, QUEUE_MAX = 4096 }; /* slots of a chunk; most elements in an unbounded queue */

struct queue_kind {
    const char *name;
    bool many_producers, many_consumers, bounded, pooled;
    /* A queue of `capacity` elements, a power of two from 4 on; unbounded queues have memory for QUEUE_MAX. The queue begins as if
     * `start` elements had come and gone already. */
    void (*make)(struct any_queue *q, uint64_t capacity, uint64_t start);
    void (*deinit)(struct any_queue *q);
    bool (*offer)(struct any_queue *q, void *element);
    bool (*relaxed_offer)(struct any_queue *q, void *element);
    void *(*poll)(struct any_queue *q);
    void *(*relaxed_poll)(struct any_queue *q);
    void *(*peek)(struct any_queue *q);
    void *(*relaxed_peek)(struct any_queue *q);
    uint64_t (*fill)(struct any_queue *q, candor_queue_supply *supply, void *context, uint64_t limit);
    uint64_t (*drain)(struct any_queue *q, candor_queue_consume *consume, void *context, uint64_t limit);
    uint64_t (*fill_while)(struct any_queue *q, candor_queue_supply *supply, void *context, const struct candor_queue_loop *loop);
    uint64_t (*drain_while)(struct any_queue *q, candor_queue_consume *consume, void *context, const struct candor_queue_loop *loop);
    uint64_t (*walk)(struct any_queue *q, candor_queue_visit *visit, void *context); /* arrays: anyone */
    uint64_t (*size)(struct any_queue *q);
    bool (*is_empty)(struct any_queue *q);
    uint64_t (*capacity)(struct any_queue *q);
    uint64_t (*offered)(struct any_queue *q); /* NULL if the queue has no count */
    uint64_t (*polled)(struct any_queue *q);
    uint64_t (*offer_n)(struct any_queue *q, void *const *elements, uint64_t count); /* NULL: no array */
    uint64_t (*poll_n)(struct any_queue *q, void **out, uint64_t count);
};

extern const struct queue_kind queue_kinds[];
extern const unsigned queue_kind_count;

/* Calls deinit and frees the memory; returns false if the pool is not complete then. */
bool queue_kind_free(const struct queue_kind *kind, struct any_queue *q);

#endif
