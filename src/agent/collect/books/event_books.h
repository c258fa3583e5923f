/* The books of a recording whose clock counts events in place of CPU time (docs/formats/recording.md):
 *
 *   events = events_complete + events_truncated + events_failed(reason) + events_lost(reason) + events_residual
 *
 * `events` is what the kernel has counted for all threads, each while its clock was set, scaled if events took turns on the processor's
 * counters. The other side is summed from drained records. The two sides meet only in the residual. Only the collector uses this file. */
#ifndef CANDOR_AGENT_COLLECT_BOOKS_EVENT_BOOKS_H
#define CANDOR_AGENT_COLLECT_BOOKS_EVENT_BOOKS_H

#include "agent/collect/books/books.h"
#include "agent/record/recording.h"

struct event_books { /* the sums of threads that have ended */
    struct event_reading raw;
    uint64_t scaled, threads;
};

/* Adds the counts of a thread whose slot is about to be freed. */
void event_books_close_thread(struct event_books *b, const struct sampled_thread *t);
/* Writes the books with `write`, which is jfr_write_book_line or jfr_write_book_base. taken: the recording's samples, whose weights are
 * summed. lost: the lost expiries, by reason. */
void event_books_write(const struct event_books *b, const struct books_taken *taken, const struct account lost[LOSS_COUNT],
                       struct jfr_writer *w, jfr_write_book *write, uint64_t now);

#endif
