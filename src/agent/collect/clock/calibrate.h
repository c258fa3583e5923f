/* Measures what one sample costs the sampled thread in addition to the time in the handler. Most of this cost is the kernel's timer and
 * signal. The agent's thread measures the CPU time of a piece of work with the clock and without it. It does so one round at a time, with
 * pauses, while the recording runs, so that the start costs little.
 *
 *   calibrate_begin -> [ calibrate_round ]* -> calibrate_end
 *
 * The clock must be in use from begin to end (clock_start), and must count CPU time. */
#ifndef CANDOR_AGENT_COLLECT_CLOCK_CALIBRATE_H
#define CANDOR_AGENT_COLLECT_CLOCK_CALIBRATE_H

#include "agent/trigger/clocks/clock.h"
#include "candor/queue/pool.h"

#include <stdbool.h>
#include <stdint.h>

void calibrate_begin(const struct clock *clock, struct candor_pool *pool);
/* Runs one round, which takes 1.3 ms of CPU time. There are 7 rounds, or up to 55 if noise hides the cost. *cost_ns is set to the cost by
 * the rounds so far, or to 0 if it is unknown. It stays unknown with timers, which expire too rarely. Returns false if no round was left to
 * run, because the result is final. */
bool calibrate_round(uint64_t *cost_ns);
/* Ends the calibration. The call is allowed if none has begun. */
void calibrate_end(void);

#endif
