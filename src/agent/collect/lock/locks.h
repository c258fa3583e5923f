/* The collector's part of the event lock: it turns records of waits into events with weights, adapts the threshold to the rate,
 * and keeps the books. It is independent of the clocks' part; sampling.c and its parts call it.
 *
 *   locks_reserve -> locks_start -> [ locks_drain* locks_tick locks_close_thread* locks_write ]* -> locks_end -> locks_stop
 *
 * Its books (docs/formats/recording.md), in ns of waiting: the total of all waits, as each thread has added it up, against the
 * waits recorded for their length, the weights of the drawn ones, and the lost ones. The difference is the residual, which is
 * the error of the draw. All on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_LOCK_LOCKS_H
#define CANDOR_AGENT_COLLECT_LOCK_LOCKS_H

#include "agent/hot/calls/lock.h"
#include "agent/hot/thread/thread.h"
#include "agent/record/recording.h"
#include "base/error.h"
#include "jfr/write/writer.h"

#include <stdbool.h>
#include <stdint.h>

enum { LOCKS_RATE_DEFAULT = 100, LOCKS_THRESHOLD_DEFAULT_NS = 1000000 };

struct lock_options {
    bool has_threshold;    /* else the default, and a rate */
    uint64_t threshold_ns; /* waits as long as this are all recorded; 0 = all waits are */
    uint64_t rate;         /* waits of a group recorded per second at most, by a higher threshold; 0 = without a bound, or the default */
};

/* Before the threads are armed: 0 or -ENOMEM. */
int locks_reserve(struct error *e);
/* When they are. outcome_symbols: by enum outcome. 0 or a negative errno; then there is nothing to stop. */
int locks_start(const struct lock_options *options, struct recording *r, const uint32_t *outcome_symbols, struct error *e);
bool locks_running(void);
/* What a recording's chunk says of it. */
void locks_describe(void);
/* One thread's records; shrink: its queue gives back what it does not need. */
void locks_drain(const struct sampled_thread *t, bool shrink);
void locks_close_thread(const struct sampled_thread *t);
void locks_tick(uint64_t now_ns);
uint64_t locks_due_ns(void);
void locks_write(jfr_write_book *write, uint64_t now_ns);
uint64_t locks_samples(void); /* in the recording */
uint64_t locks_lost(void);
/* Records the waits that go on, before the threads are disarmed. */
void locks_end(void);
/* No thread notes another wait; what they have left can still be drained, while the slots are there. */
void locks_silence(void);
void locks_stop(void);

#endif
