/* What one sample costs the sampled thread beside the time in the handler: the kernel's timer and signal, which are most of it.
 * Measured on the calling thread, by the CPU time a piece of work takes with the clock and without. */
#ifndef CANDOR_AGENT_COLLECT_CALIBRATE_H
#define CANDOR_AGENT_COLLECT_CALIBRATE_H

#include "agent/trigger/clock.h"
#include "candor/queue/pool.h"

#include <stdint.h>

/* In ns; 0 = unknown: the timers fire too rarely, or the cost disappears in the noise five times. Takes about 15 ms of the
 * calling thread's CPU time, 70 at most, in which it must be the only user of the clocks. */
uint64_t calibrate_signal_cost(const struct clock *clock, struct candor_pool *pool);

#endif
