/* Whose work a thread does: the record that the thread's tracing keeps for profilers that stop it and look, in OpenTelemetry's
 * layout (OTEP 4947, thread context). Each thread has a pointer to its record, the exported thread-local variable
 * otel_thread_ctx_v1:
 *
 *      0  trace id, 16 bytes      all zero: there is no trace
 *     16  span id, 8 bytes
 *     24  1 = valid               anything else: it is being changed
 *     25  trace flags
 *     26  size of what follows, 16 bits, native byte order
 *     28  attributes, each: index of its key, length, so many bytes of UTF-8; of several with one key the last counts
 *
 * The thread itself writes it with plain stores, from Java: first valid = 0, last valid = 1. Its own signal handler sees the
 * stores in order, so it finds the old record, the new one, or one that is marked as being changed. A reader on another thread
 * must know that the owner does not run meanwhile.
 *
 * Its part of a queue's record (hot/record.h, hot/calls/alloc.h):
 *
 *      0     size of the attributes
 *      1, 2  trace id, 3 span id: bytes as in the thread's record
 *      4..   attributes, 8 bytes a word, filled up with 0 */
#ifndef CANDOR_AGENT_HOT_CONTEXT_H
#define CANDOR_AGENT_HOT_CONTEXT_H

#include "base/agreed/reasons.h"
#include "candor/queue/record.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CONTEXT_BYTES = 640, /* of a record */
    CONTEXT_SPAN = 16,
    CONTEXT_VALID = 24,
    CONTEXT_SIZE = 26,
    CONTEXT_ATTRIBUTES = 28,
    CONTEXT_ATTRIBUTE_BYTES_MAX = CONTEXT_BYTES - CONTEXT_ATTRIBUTES,
    CONTEXT_HEAD_WORDS = 4,
    CONTEXT_WORDS_MAX = CONTEXT_HEAD_WORDS + (CONTEXT_ATTRIBUTE_BYTES_MAX + 7) / 8
};

extern __attribute__((visibility("default"))) __thread void *otel_thread_ctx_v1;

/* Samples that have no context, or not all of it, though their thread has; all of a recording. */
extern _Atomic uint64_t context_lost[CONTEXT_LOSS_COUNT];

/* The beginning of a record. */
struct context_head {
    uint64_t trace[2], span;
    uint32_t size; /* of the attributes */
};

enum context_state { CONTEXT_NONE, CONTEXT_THERE, CONTEXT_IN_CHANGE, CONTEXT_NOT_READABLE };

/* record: an address that may be anything; 0 = none. Loads that fault are survived (hot/load.h). */
enum context_state context_head(uintptr_t record, struct context_head *out);
/* The i-th word of the attributes of a record with this head; false when it cannot be read. */
bool context_word(uintptr_t record, const struct context_head *head, uint32_t i, uint64_t *word);

/* For handlers and callbacks: puts the calling thread's context into an open record of its queue. Returns the number of words; 0
 * = it has none, or none that can be read, which is counted. */
size_t context_put(struct candor_queue *q);
/* The same into an array, from the record of another thread, which the caller knows to sleep. Not booked. */
size_t context_copy(uintptr_t record, uint64_t words[CONTEXT_WORDS_MAX]);

/* The calling thread has this record from now on; 0 = none. place: where others find the address, or NULL. For ordinary code, of the
 * thread itself. */
void context_point(uintptr_t record, _Atomic uintptr_t *place);

#endif
