/* The event wall: what Java threads do, running or not, in proportion to elapsed time.
 *
 * A round, every interval on average, draws some of the threads (trigger/tasks/subset.h). If the rate is too low for WALL_LOOKS_LEAST
 * in each, rounds are rarer. A thread that can run is asked for a sample (trigger/signals/ask.h), which its handler takes. A sleeping
 * thread is not woken: the agent's thread reads its stack, from its last Java frame on, and accepts the result if the thread's
 * CPU clock has not moved meanwhile. If the clock has not moved since the previous look, the stack is still the same. Each
 * sample stands for the time since the previous round, times threads per drawn thread, so a late round stands for more. For the
 * reasons, and for how running is distinguished from waiting for a processor, see docs/internals/sampling-math.md.
 *
 *   wall_open -> wall_begin -> [ wall_tick, wall_take, wall_close_thread, wall_write ]* -> wall_end -> wall_close
 *
 * sampling.c and its parts call it. All on the agent's only thread. */
#ifndef CANDOR_AGENT_COLLECT_WALL_WALL_H
#define CANDOR_AGENT_COLLECT_WALL_WALL_H

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
/* Sets the signal again, after a clock_stop, before a clock is chosen or started. */
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
/* A last round, for the time since the previous one; waits a moment for the threads that were asked. drain: takes their records. */
void wall_end(void (*drain)(void));
void wall_close(void);
void wall_counts(uint64_t *samples, uint64_t *lost);

#endif
