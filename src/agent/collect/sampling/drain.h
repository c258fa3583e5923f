/* Takes the threads' records off their queues, and turns them into events. The clocks' samples are handled here, for each sink separately.
 * The parts of the other events handle the other records (parts.h). When a thread has ended, it closes its last records, its books and its
 * slot.
 *
 *   drain_begin -> [ drain_threads, drain_write_bases ]*
 *
 * All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_DRAIN_H
#define CANDOR_AGENT_COLLECT_SAMPLING_DRAIN_H

#include "agent/collect/books/books.h"
#include "agent/collect/books/event_books.h"
#include "agent/collect/sampling/patience.h"
#include "agent/record/recording.h"
#include "agent/trigger/clocks/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* The destinations and sources of samples. All of it remains the caller's property. */
struct drain_to {
    struct recording *recording; /* writes to all sinks */
    const struct clock *clock;   /* the clock that takes the samples */
    struct books *books;
    struct event_books *event_books; /* used if the clock does not count CPU time */
    struct patience *patience;       /* is notified of new samples */
    const uint32_t *outcome_symbols; /* indexed by enum outcome */
};

void drain_begin(const struct drain_to *places);
/* Returns the number of the clocks' samples since drain_begin. */
uint64_t drain_samples(void);
/* Drains all threads' queues. shrink: the queues also give back chunks that they do not need. */
void drain_threads(bool shrink);
/* Write the lines that are normally written when a thread ends, for live threads and their present state. The first function writes them as
 * a base (jfr_write_thread_base). The second is for a recording that ends before the threads do. */
void drain_write_bases(uint64_t now);
void drain_write_threads(uint64_t now);

#endif
