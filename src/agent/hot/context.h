/* The context of a thread's work. Tracing keeps it in a record for profilers, which read the record while the thread stands still. Its
 * layout is OpenTelemetry's (OTEP 4947, thread context). Each thread has a pointer to its record, the exported thread-local variable
 * otel_thread_ctx_v1:
 *
 *      0  trace id, 16 bytes      all zero: there is no trace
 *     16  span id, 8 bytes
 *     24  1 = valid               anything else: it is being changed
 *     25  trace flags
 *     26  size of what follows, 16 bits, native byte order
 *     28  attributes, each: index of its key, length, so many bytes of UTF-8; of several with one key the last counts
 *
 * The thread itself writes its record with plain stores, from Java: first valid = 0, last valid = 1. Its own signal handler sees the stores
 * in order, so it finds the old record, the new one, or one that is marked as being changed. A reader on another thread must know that the
 * owner does not run meanwhile.
 *
 * The context takes this form in a queue's record (hot/record.h, hot/calls/alloc.h):
 *
 *      0     size of the attributes; in the upper half 1: another library's record (hot/foreign.h), whose keys are that library's
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
    CONTEXT_BYTES = 640, /* size of a record */
    CONTEXT_SPAN = 16,
    CONTEXT_VALID = 24,
    CONTEXT_SIZE = 26,
    CONTEXT_ATTRIBUTES = 28,
    CONTEXT_ATTRIBUTE_BYTES_MAX = CONTEXT_BYTES - CONTEXT_ATTRIBUTES,
    CONTEXT_HEAD_WORDS = 4,
    CONTEXT_FOREIGN = 1, /* the lowest bit of a record's address: another library's record. Records have even addresses */
    CONTEXT_FOREIGN_SHIFT = 32,
    CONTEXT_TIDS_MAX = 1 << 22, /* as THREAD_IDS_MAX (hot/thread/thread.h) */
    CONTEXT_WORDS_MAX = CONTEXT_HEAD_WORDS + (CONTEXT_ATTRIBUTE_BYTES_MAX + 7) / 8
};

extern __attribute__((visibility("default"))) __thread void *otel_thread_ctx_v1;

/* Samples of all threads in a recording that lack their thread's context, or a part of it, by reason. */
extern _Atomic uint64_t context_lost[CONTEXT_LOSS_COUNT];
void context_lose(enum context_loss why);

/* The beginning of a record. */
struct context_head {
    uint64_t trace[2], span;
    uint32_t size;   /* size of the attributes in bytes */
    uint32_t origin; /* 0, or CONTEXT_FOREIGN */
};

enum context_state { CONTEXT_NONE, CONTEXT_THERE, CONTEXT_IN_CHANGE, CONTEXT_NOT_READABLE };

/* Reads the beginning of a record. record: the address, which may be any value, plus CONTEXT_FOREIGN for another library's; 0 = none. Loads
 * that fault do no harm (hot/load.h). */
enum context_state context_head(uintptr_t record, struct context_head *out);
/* Reads the i-th word of the attributes of a record with this head. Returns false if the word cannot be read. */
bool context_word(uintptr_t record, const struct context_head *head, uint32_t i, uint64_t *word);

/* Puts the calling thread's context into an open record of its queue. Handlers and callbacks call it. Returns the number of words; 0 =
 * there is no context, or it cannot be read. An unreadable context is counted. thread_pointer: the caller's (frame_thread_pointer). */
size_t context_put(struct candor_queue *q, uintptr_t thread_pointer);
/* Copies the context into an array, from the record of another thread. The caller knows that this thread sleeps. Losses are not counted. */
size_t context_copy(uintptr_t record, uint64_t words[CONTEXT_WORDS_MAX]);

struct context_words {
    size_t count; /* 0 = no context */
    uint64_t words[CONTEXT_WORDS_MAX];
};
/* Does the same for a thread that may run meanwhile. The context is one that the thread had during the call. Returns false, and no context,
 * if the thread changes it all the time. */
bool context_copy_running(uintptr_t record, struct context_words *out);

/* The record of each thread that has one, indexed by thread id; NULL while no thread has any. context/records.c makes the table. */
extern _Atomic uintptr_t *_Atomic context_of_tid;
/* Returns the address of the record that another thread has now, plus CONTEXT_FOREIGN if it is another library's; 0 = none.
 * thread_pointer: that thread's, for other libraries' records; 0 = not known. */
uintptr_t context_of_thread(int tid, uintptr_t thread_pointer);
/* Does the same for a thread that is known by the address of its JavaThread, which may be any value. */
uintptr_t context_of_java_thread(uintptr_t java_thread);

/* Gives the calling thread this record from now on; 0 = none. place: where other threads find the address, or NULL. It is for ordinary code
 * of the thread itself. */
void context_point(uintptr_t record, _Atomic uintptr_t *place);

#endif
