/* The event wall: what Java's threads do, running or not, in proportion to the time that passes.
 *
 * A round, every interval on average, draws some of the threads (trigger/subset.h); where the rate is too low for WALL_LOOKS_LEAST in each,
 * rounds are so much rarer. A thread that could run is asked for a sample (trigger/ask.h), which its handler takes. One that sleeps is
 * let sleep: this thread reads its stack, from its last Java frame on, and believes what it has read when the thread's CPU clock has not
 * moved meanwhile. Where it has not moved since the look before, the stack is the one of then. Each sample stands for the time since the
 * round before, times threads per thread drawn: a round that comes late stands for more. Why, and how running is told from waiting for a
 * processor: docs/internals/sampling-math.md.
 *
 *   wall_open -> wall_begin -> [ wall_tick, wall_take, wall_close_thread, wall_write ]* -> wall_end -> wall_close
 *
 * Called by sampling.c and its parts: all of it on the agent's one thread. */
#ifndef CANDOR_AGENT_COLLECT_WALL_H
#define CANDOR_AGENT_COLLECT_WALL_H

#include "agent/record/recording.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A round costs as much as some ten looks before the first of them. */
enum { WALL_LOOKS_LEAST = 16 };
enum { WALL_INTERVAL_DEFAULT_NS = 50000000, WALL_INTERVAL_MIN_NS = 1000000, WALL_RATE_DEFAULT = 160 };

struct wall_options {
    bool alone;           /* the recording has no samples of CPU time */
    uint64_t interval_ns; /* between two rounds */
    uint64_t rate;        /* looks at threads, per second */
};

/* Memory, and the signal, before a clock is chosen. 0 or a negative errno; wall_close undoes it. */
int wall_open(const struct wall_options *options, struct error *e);
/* The signal anew, after a clock_stop, before a clock is chosen or started. */
int wall_reopen(struct error *e);
/* Java's threads are known; the first round comes after a part of the interval. outcome_symbols: by enum outcome. */
void wall_begin(struct recording *r, const uint32_t *outcome_symbols);
bool wall_on(void);
/* Whether records of this word are wall's (the last of a record). */
bool wall_is_record(uint64_t last_word);
void wall_tick(uint64_t now);
uint64_t wall_due_ns(void);
/* A record that a handler has left. */
void wall_take(const struct sampled_thread *t, uint64_t *record, size_t words);
void wall_close_thread(const struct sampled_thread *t);
void wall_write(jfr_write_book *write);
/* A last round, for the time since the one before; waits a moment for the threads that are asked. drain: takes what they have left. */
void wall_end(void (*drain)(void));
void wall_close(void);
void wall_counts(uint64_t *samples, uint64_t *lost);

#endif
