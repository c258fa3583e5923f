/* The parts (collect/part.h) of the events that a recording has: each function goes through them, in the order of their table or in the
 * opposite one.
 *
 *   parts_begin -> parts_reserve -> parts_claim -> parts_start -> [ ... ]* -> parts_end -> parts_finish -> parts_release
 *
 * All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_PARTS_H
#define CANDOR_AGENT_COLLECT_SAMPLING_PARTS_H

#include "agent/collect/sampling/sinks.h"
#include "agent/collect/session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The data that the parts work on. All of it remains the caller's property. */
struct parts_on {
    struct collect_options *options; /* the combined options of the running recordings; a recording that joins adds to them */
    struct recording *recording;
    const uint32_t *outcome_symbols; /* indexed by enum outcome */
};

void parts_begin(const struct parts_on *them);
int parts_reserve(struct error *e);
bool parts_use_signals(void);
int parts_claim(struct error *e);
bool parts_signal_is_taken(void);
/* Starts the parts for the first sink. After an error, only parts_silence and parts_release may follow. */
int parts_start(const struct sink *first, struct error *e);
/* Starts the parts that another sink needs. Returns 0 or a negative errno. An error changes nothing. */
int parts_join(const struct sink *s, struct error *e);
/* Remove a sink while others stay. parts_end_for ends the parts that only this sink has, so that their last events and books can be
 * written. parts_leave then forgets the sink. */
void parts_end_for(const struct sink *s, void (*drain)(void));
void parts_leave(const struct sink *s);
/* Writes the settings of the sink's events. The whole recording's writer must be aimed at the sink. This also holds for three of the
 * functions below. */
void parts_describe(const struct sink *s);
/* Gives the record to its part. Returns false if no part takes it: then it is a sample of the clocks. */
bool parts_take(const struct sampled_thread *t, uint64_t *record, size_t words);
void parts_drain(const struct sampled_thread *t, bool shrink);
void parts_close_thread(const struct sampled_thread *t);
void parts_tick(uint64_t now_ns);
/* Return whether a part needs a tick every COLLECT_PERIOD_MS, and the earliest time at which a part needs its next tick (UINT64_MAX =
 * never). */
bool parts_are_polled(void);
uint64_t parts_due_ns(void);
void parts_write_books(const struct sink *s, jfr_write_book *write, uint64_t now_ns);
/* Adds up the samples and the losses of the sink's parts. */
void parts_count(const struct sink *s, uint64_t *samples, uint64_t *lost);
uint64_t parts_cost_ns(void);
void parts_sum_up(const struct sink *s, uint64_t stopped_ns);
void parts_end(void (*drain)(void));
void parts_finish(void);
void parts_silence(void);
void parts_release(void);

#endif
