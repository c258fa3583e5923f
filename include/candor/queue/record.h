/*
 * A queue from one producer to one consumer, made for producers that are signal handlers. It contains variable-length records of 64-bit
 * words in linked chunks of fixed size. The chunks come from a pool that many queues share, so that an idle queue costs nothing and a
 * busy one grows until the pool is empty.
 *
 *     pool memory     | bitmaps | chunk 0 | chunk 1 | chunk 2 | ...
 *     chunk           | link to the queue's next chunk | word | word | ... |
 *     record          | length in words | word | word | ... |       may start anywhere and run on into the next chunks
 *
 *     chunk 4                        chunk 2                        chunk 0
 *     | link | ....... | 3 | a b c |-| link | 900 | a b c ........ |-| link | ... z | free ......... |
 *                      ^ consumer.at                                               ^ producer.at, published by `tail`
 *
 * Calling sequence
 *
 *     producer    candor_queue_begin(q); candor_queue_put(q, word) ...; if (!candor_queue_commit(q)) lost++;
 *     consumer    while ((n = candor_queue_read(q, words, cap)) > 0) ...; now and then candor_queue_shrink(q);
 *
 * A record is delivered whole, once and in order, or its commit returns false. Nothing of an open record is visible.
 *
 * Threads. Each queue has at most one producer and at most one consumer at any time; the two run concurrently. A signal handler may be
 * the producer of its thread only if nothing that it can interrupt, and nothing that can interrupt it, is the producer of the same
 * queue. Such signals must mask each other. Any number of threads may take chunks from a pool and give chunks to it. "Producer",
 * "consumer" and "owner" below say which side may call. The owner calls while no other thread uses the object.
 *
 * Progress. Each call is wait-free in both aspects: it returns after a bounded number of its own steps, and a peer that stops forever at
 * any point does not stop any other thread. (A producer that stopped in an open record only keeps that record, and prevents its queue
 * from shrinking.) No call locks, allocates, makes a system call or touches errno; the only libc function that they need is memcpy. All
 * but init and deinit may be called from a signal handler.
 *
 * Source of the algorithm: linked arrays as in JCTools' SpscUnboundedArrayQueue and FastFlow's uSWSR. The word count is the only
 * published variable. An ownership bit in it lets the consumer take an idle chunk back. The pool replaces an allocator.
 * src/queue/README.md explains why the algorithm is right and how that is checked.
 */
#ifndef CANDOR_QUEUE_RECORD_H
#define CANDOR_QUEUE_RECORD_H

#include "candor/queue/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Data that only the producer uses. */
struct candor_queue_producer {
    uint64_t *at;      /* the place for the next word */
    uint64_t *end;     /* the end of `chunk`; at == end: the next word needs a new chunk */
    uint64_t *chunk;   /* holds `at`; stale while the queue owns no chunk */
    uint64_t *segment; /* where the open record starts in `chunk` */
    uint64_t *header;  /* the open record's length word */
    uint64_t words;    /* number of words of the open record in the chunks before `chunk` */
    uint64_t start;    /* `tail`, `at` and `chunk` before the open record, for a rollback */
    uint64_t *start_at;
    uint64_t *start_chunk; /* NULL: the queue owned no chunk */
    bool failed;           /* the open record found no chunk and is rolled back */
};

/* Data that only the consumer uses. */
struct candor_queue_consumer {
    uint64_t head;   /* position of the next record, in the units of `tail` and without its flags */
    uint64_t *at;    /* the next word to read */
    uint64_t *end;   /* the end of `chunk` */
    uint64_t *chunk; /* holds `at`; NULL: the next record starts in `first` */
};

/* A zero-filled queue is valid. It is empty for the consumer, and full for the producer until candor_queue_init gives it a pool. */
struct candor_queue {
    /* Words ever published, times 4, plus two flags: 1 while a record is open, 2 while the queue owns a chunk. */
    candor_atomic_u64 tail CANDOR_QUEUE_ALIGNED;
    uint64_t *first; /* the first chunk since the queue last owned none; written by the producer before it publishes */
    struct candor_pool *pool;
    struct candor_queue_producer producer CANDOR_QUEUE_ALIGNED;
    struct candor_queue_consumer consumer CANDOR_QUEUE_ALIGNED;
};

/* Owner. Initializes a queue. The pool is borrowed and must outlive the queue. The queue takes no chunk yet. */
void candor_queue_init(struct candor_queue *q, struct candor_pool *pool);

/* Owner. Drops all records, rolls back an open one, gives all chunks back and leaves the queue zero-filled. */
void candor_queue_deinit(struct candor_queue *q);

/* Producer. Opens a record; exactly one commit or abort must follow. */
void candor_queue_begin(struct candor_queue *q);

/* Producer, called by candor_queue_put. Continues in a new chunk and returns true, or rolls the open record back and returns false. */
bool candor_queue_extend(struct candor_queue *q);

/* Producer. Appends a word to the open record. The length of a record is limited only by the pool. If the pool is empty, the word is
 * dropped and the commit will return false. */
static inline void candor_queue_put(struct candor_queue *q, uint64_t word)
{
    if (q->producer.at == q->producer.end && !candor_queue_extend(q))
        return;
    *q->producer.at++ = word;
}

/* Producer. Appends `count` words at once. */
void candor_queue_put_words(struct candor_queue *q, const uint64_t *words, size_t count);

/* Producer. Publishes the open record and returns true. Returns false if the pool was empty: the record is lost, the queue is as before
 * its begin, and the caller counts the loss. A record without words adds nothing and returns true. */
bool candor_queue_commit(struct candor_queue *q);

/* Producer. Discards the open record; the queue is as before its begin. */
void candor_queue_abort(struct candor_queue *q);

/* Consumer. Returns the length of the next record in words; 0 if there is none. */
size_t candor_queue_peek(struct candor_queue *q);

/* Consumer. Removes the next record, copies its words to `out` and returns their number; 0 if there is no record. A record of more than
 * `cap` words stays in the queue, nothing is copied, and the result is greater than `cap`. If `out` is NULL, the record is dropped,
 * however long it is. Chunks are given back as soon as the consumer has left them. A drained queue owns at most one chunk. */
size_t candor_queue_read(struct candor_queue *q, uint64_t *out, size_t cap);

/* Consumer. Gives back the last chunk of a drained queue, even if the producer is about to write; it then starts a new chunk. Returns
 * true if a chunk was given back; false if there is none, if records wait, or if a record is open. */
bool candor_queue_shrink(struct candor_queue *q);

#ifdef __cplusplus
}
#endif

#endif
