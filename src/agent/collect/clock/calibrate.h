/* What one sample costs the sampled thread beside the time in the handler: the kernel's timer and signal, which are most of it.
 * It is measured on the agent's thread, as the CPU time of a piece of work with the clock and without it, one round at a time,
 * while the recording runs, so that the start is not delayed.
 *
 *   calibrate_begin -> [ calibrate_round ]* -> calibrate_end
 *
 * The clock is in use all the while (clock_start), and counts CPU time. */
#ifndef CANDOR_AGENT_COLLECT_CLOCK_CALIBRATE_H
#define CANDOR_AGENT_COLLECT_CLOCK_CALIBRATE_H

#include "agent/trigger/clocks/clock.h"
#include "candor/queue/pool.h"

#include <stdbool.h>
#include <stdint.h>

void calibrate_begin(const struct clock *clock, struct candor_pool *pool);
/* Runs one round, which takes 1.3 ms of CPU time. There are 11 rounds, or up to 55 if noise hides the cost. *cost_ns: the cost by the
 * rounds so far; 0 = unknown. It stays unknown with timers, which expire too rarely. False: there was no round to run, because the
 * result is final. */
bool calibrate_round(uint64_t *cost_ns);
/* May be called if no calibration has begun. */
void calibrate_end(void);

#endif
