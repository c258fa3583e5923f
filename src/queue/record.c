/*
 * The queue itself. `tail` is the only variable that both sides write:
 *
 *     | words published : 62 | OWNED | OPEN |
 *
 * begin adds OPEN, which claims the chunk and shows in one step whether there still is one. commit and abort store the new value,
 * without OPEN. shrink removes OWNED by compare and swap, and expects the position up to which it has read. It succeeds only if nothing
 * was published since and no record is open. The count never repeats. Therefore a chunk that comes back at the same address with the
 * same number of words is not mistaken for the old one.
 *
 * Everything else is plain memory. It is handed over by `tail` (records, links, `first`) or by the pool (whole chunks).
 */
#include "candor/queue/record.h"

#include <stdatomic.h>
#include <string.h>

#define OPEN     1ULL
#define OWNED    2ULL
#define FLAGS    (OPEN | OWNED)
#define ONE_WORD 4ULL

_Static_assert(sizeof(candor_atomic_u64) == sizeof(uint64_t), "C++ sees a plain uint64_t in its place");

/* Returns the link in word 0 of a chunk. The producer writes it when it continues in the next chunk, and the consumer reads it when it
 * follows. */
static uint64_t *linked(const uint64_t *chunk)
{
    return (uint64_t *)(uintptr_t)chunk[0];
}

void candor_queue_init(struct candor_queue *q, struct candor_pool *pool)
{
    *q = (struct candor_queue){.pool = pool};
}

void candor_queue_deinit(struct candor_queue *q)
{
    /* Relaxed: no other thread uses the queue. */
    if (atomic_load_explicit(&q->tail, memory_order_relaxed) & OPEN)
        candor_queue_abort(q);
    while (candor_queue_read(q, NULL, 0) > 0)
        ;
    candor_queue_shrink(q);
    candor_queue_init(q, NULL);
}

/* ---- producer ---- */

void candor_queue_begin(struct candor_queue *q)
{
    struct candor_queue_producer *p = &q->producer;

    /* Acquire: pairs with the release of shrink's exchange, so that the consumer's last read of `first` precedes extend's write. There
     * is nothing to release. The operation is a read-modify-write, so it continues the release sequence of the last commit. */
    p->start = atomic_fetch_add_explicit(&q->tail, OPEN, memory_order_acquire);
    if (!(p->start & OWNED))
        p->chunk = p->at = p->end = NULL;
    p->start_chunk = p->chunk;
    p->start_at = p->segment = p->at;
    p->words = 0;
    p->failed = false;
    if (p->at != p->end || candor_queue_extend(q))
        p->header = p->at++;
}

/* Gives back the chunks that the open record took. Each chunk's link is read before the chunk is given back. */
static void give_new_chunks(struct candor_queue *q)
{
    struct candor_queue_producer *p = &q->producer;
    uint64_t *chunk = p->start_chunk;

    if (chunk == p->chunk)
        return;
    chunk = chunk ? linked(chunk) : q->first;
    while (chunk != p->chunk) {
        uint64_t *next = linked(chunk);

        candor_pool_give(q->pool, chunk);
        chunk = next;
    }
    candor_pool_give(q->pool, chunk);
}

bool candor_queue_extend(struct candor_queue *q)
{
    struct candor_queue_producer *p = &q->producer;
    uint64_t *next;

    if (p->failed)
        return false;
    next = q->pool ? candor_pool_take(q->pool) : NULL;
    if (!next) {
        give_new_chunks(q);
        p->failed = true;
        p->at = p->end = NULL;
        return false;
    }
    if (p->chunk) {
        p->words += (uint64_t)(p->at - p->segment);
        p->chunk[0] = (uintptr_t)next;
    } else {
        q->first = next;
    }
    p->chunk = next;
    p->at = p->segment = next + 1;
    p->end = next + q->pool->chunk_words;
    return true;
}

void candor_queue_put_words(struct candor_queue *q, const uint64_t *words, size_t count)
{
    struct candor_queue_producer *p = &q->producer;

    while (count > 0) {
        size_t room;

        if (p->at == p->end && !candor_queue_extend(q))
            return;
        room = (size_t)(p->end - p->at);
        if (room > count)
            room = count;
        memcpy(p->at, words, room * sizeof *words);
        p->at += room;
        words += room;
        count -= room;
    }
}

bool candor_queue_commit(struct candor_queue *q)
{
    struct candor_queue_producer *p = &q->producer;
    uint64_t words = p->words + (uint64_t)(p->at - p->segment);
    bool failed = p->failed;

    if (failed || words == 1) {
        candor_queue_abort(q);
        return !failed;
    }
    *p->header = words - 1;
    /* Release: pairs with the acquire in candor_queue_peek; publishes the record, its links and `first`. */
    atomic_store_explicit(&q->tail, ((p->start & ~FLAGS) + words * ONE_WORD) | OWNED, memory_order_release);
    return true;
}

void candor_queue_abort(struct candor_queue *q)
{
    struct candor_queue_producer *p = &q->producer;

    if (!p->failed)
        give_new_chunks(q);
    p->chunk = p->start_chunk;
    p->at = p->start_at;
    p->end = p->chunk ? p->chunk + q->pool->chunk_words : NULL;
    /* Release: pairs with the acquire in candor_queue_peek, for records before this one that the consumer has not seen yet, and with
     * that of shrink's exchange, for the words of the open record in the chunk that shrink gives away. */
    atomic_store_explicit(&q->tail, p->start, memory_order_release);
}

/* ---- consumer ---- */

static void enter(struct candor_queue *q, uint64_t *chunk)
{
    struct candor_queue_consumer *c = &q->consumer;

    if (c->chunk)
        candor_pool_give(q->pool, c->chunk);
    c->chunk = chunk;
    c->at = chunk + 1;
    c->end = chunk + q->pool->chunk_words;
}

size_t candor_queue_peek(struct candor_queue *q)
{
    struct candor_queue_consumer *c = &q->consumer;
    /* Acquire: pairs with the release of commit's (or abort's) store; all words before this position may be read. */
    uint64_t tail = atomic_load_explicit(&q->tail, memory_order_acquire);

    if ((tail & ~FLAGS) == c->head)
        return 0;
    if (!c->chunk)
        enter(q, q->first);
    else if (c->at == c->end)
        enter(q, linked(c->chunk));
    return *c->at;
}

/* Advances by `count` words, and copies them to `out` unless it is NULL. */
static void take_words(struct candor_queue *q, uint64_t *out, size_t count)
{
    struct candor_queue_consumer *c = &q->consumer;

    while (count > 0) {
        size_t here;

        if (c->at == c->end)
            enter(q, linked(c->chunk));
        here = (size_t)(c->end - c->at);
        if (here > count)
            here = count;
        if (out) {
            memcpy(out, c->at, here * sizeof *out);
            out += here;
        }
        c->at += here;
        count -= here;
    }
}

size_t candor_queue_read(struct candor_queue *q, uint64_t *out, size_t cap)
{
    struct candor_queue_consumer *c = &q->consumer;
    size_t length = candor_queue_peek(q);

    if (length == 0 || (out && length > cap))
        return length;
    c->at++;
    take_words(q, out, length);
    c->head += (length + 1) * ONE_WORD;
    return length;
}

bool candor_queue_shrink(struct candor_queue *q)
{
    struct candor_queue_consumer *c = &q->consumer;
    uint64_t expected = c->head | OWNED;

    if (!c->chunk)
        return false;
    /* Release: pairs with the acquire in candor_queue_begin, which finds the chunk gone. Acquire: pairs with the release in
     * candor_queue_abort; an aborted record's words are written before the chunk gets its next owner. Relaxed on failure: the next peek
     * reads the value again. */
    if (!atomic_compare_exchange_strong_explicit(&q->tail, &expected, c->head, memory_order_acq_rel, memory_order_relaxed))
        return false;
    candor_pool_give(q->pool, c->chunk);
    c->chunk = NULL;
    return true;
}
