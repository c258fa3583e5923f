/* The books of the event safepoint: where the wall-clock time of Java threads went (docs/formats/recording.md).
 *
 *   thread_time = running(state) + waiting(state) + failed(reason) + lost(reason)
 *
 * A round looks at some of the threads; it stands for the time since the previous round. thread_time sums time x threads over the rounds,
 * and the accounts sum the weights of the threads that were looked at; the weights of a round add up to its time x threads
 * (trigger/tasks/subset.h). This is not CPU time, and cannot be compared with a kernel clock. Only the collector uses this file. */
#ifndef CANDOR_AGENT_COLLECT_SAFEPOINT_THREAD_TIME_H
#define CANDOR_AGENT_COLLECT_SAFEPOINT_THREAD_TIME_H

#include "agent/collect/books/books.h"
#include "base/agreed/reasons.h"
#include "jfr/schema.h"
#include "jfr/write/writer.h"

#include <stdint.h>

struct thread_time {
    struct account total;   /* count: the number of threads, added up over all rounds */
    struct account stopped; /* an upper bound of the time for which rounds stopped all threads; the number of rounds */
    struct account states[JFR_STATES];
    struct account no_stack;                    /* failed(no_java_stack) */
    struct account missed[MISS_COUNT], dropped; /* missed: lost samples, by reason; dropped: samples lost for lack of memory */
    uint64_t not_chosen;                        /* threads that were not drawn; the drawn threads stand for them */
    uint64_t samples;
    uint64_t own_at_start; /* the collector's CPU clock */
};

void thread_time_open(struct thread_time *t);
void thread_time_round(struct thread_time *t, uint64_t elapsed_ns, uint32_t alive, uint32_t chosen, uint64_t took_ns);
void thread_time_sample(struct thread_time *t, enum jfr_thread_state state, enum outcome outcome, uint64_t weight_ns);
void thread_time_miss(struct thread_time *t, enum miss why, uint64_t weight_ns);
/* Adds a sample that could not be written. */
void thread_time_drop(struct thread_time *t, uint64_t weight_ns);
uint64_t thread_time_lost(const struct thread_time *t); /* returns the number of lost samples */
/* Writes all lines as of now, with jfr_write_book_line, or at a chunk's beginning with jfr_write_book_base. */
void thread_time_write(const struct thread_time *t, struct jfr_writer *w, uint64_t now, jfr_write_book *write);

#endif
