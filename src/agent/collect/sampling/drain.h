/* Takes the threads' records off their queues, and turns them into events: the clocks' samples here, for each sink by itself, the others in
 * the parts of their events (parts.h). When a thread has ended, it closes its last records, its books and its slot.
 *
 *   drain_begin -> [ drain_threads, drain_write_bases ]*
 *
 * All on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_DRAIN_H
#define CANDOR_AGENT_COLLECT_SAMPLING_DRAIN_H

#include "agent/collect/books/books.h"
#include "agent/collect/books/event_books.h"
#include "agent/collect/sampling/patience.h"
#include "agent/record/recording.h"
#include "agent/trigger/clocks/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* Where it goes; all of it stays the caller's. */
struct drain_to {
    struct recording *recording; /* the whole: of all sinks */
    const struct clock *clock;   /* that the samples are of */
    struct books *books;
    struct event_books *event_books; /* if the clock counts something other than CPU time */
    struct patience *patience;       /* hears of the news */
    const uint32_t *outcome_symbols; /* by enum outcome */
};

void drain_begin(const struct drain_to *places);
/* The number of the clocks' samples since drain_begin. */
uint64_t drain_samples(void);
/* shrink: the queues also give back chunks that they do not need. */
void drain_threads(bool shrink);
/* Write, for live threads and their present state, the lines that are written when a thread ends: as a base (jfr_write_thread_base),
 * or, in a recording that ends before the threads do, as they are. */
void drain_write_bases(uint64_t now);
void drain_write_threads(uint64_t now);

#endif
