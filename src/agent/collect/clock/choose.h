/* Chooses the clock that samples threads, and the stack walker of their handlers: the requested ones, or the best that work
 * here. */
#ifndef CANDOR_AGENT_COLLECT_CLOCK_CHOOSE_H
#define CANDOR_AGENT_COLLECT_CLOCK_CHOOSE_H

#include "agent/hot/walk/agct.h"
#include "agent/trigger/clocks/clock.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* counter: what the clock counts; without a name: CPU time. 0 or a negative errno. */
int choose_clock(struct clock *clock, enum clock_kind wanted, const struct event_counter *counter, uint64_t interval_ns, struct error *e);
/* carrier_frames: of virtual threads, too. 0 or a negative errno. */
int choose_walker(enum walker wanted, bool carrier_frames, struct error *e);

#endif
