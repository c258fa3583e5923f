/* Chooses the clock that samples threads, and the stack walker of their handlers: the requested ones, or the best that work
 * here. */
#ifndef CANDOR_AGENT_COLLECT_CLOCK_CHOOSE_H
#define CANDOR_AGENT_COLLECT_CLOCK_CHOOSE_H

#include "agent/hot/walk/agct.h"
#include "agent/trigger/clocks/clock.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Chooses the clock. counter: the event that the clock counts; a counter without a name means CPU time. Returns 0 or a negative errno. */
int choose_clock(struct clock *clock, enum clock_kind wanted, const struct event_counter *counter, uint64_t interval_ns, struct error *e);
/* Chooses the stack walker. carrier_frames: the stacks of virtual threads include the frames of their carriers. Returns 0 or a negative
 * errno. */
int choose_walker(enum walker wanted, bool carrier_frames, struct error *e);

#endif
