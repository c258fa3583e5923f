/* Handles other owners that have taken a signal of ours in a way that the agent cannot prevent (trigger/hooks/claims.h): a debugger,
 * code that makes the system call itself, the JVM when it dies. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_TAKERS_H
#define CANDOR_AGENT_COLLECT_SAMPLING_TAKERS_H

#include "agent/collect/session/session.h"
#include "agent/trigger/clocks/clock.h"

/* Looks for another owner of the clock's signal or timer. If there is one, gives way: changes to another clock if possible, and
 * writes a warning into the recordings. Call it often. */
void takers_look(const struct collect_options *options, const struct clock *clock);
/* The same for debuggers, which no installed handler gives away. Call it whenever the queues have been read. samples: of the clock,
 * so far. */
void takers_look_for_debuggers(const struct collect_options *options, const struct clock *clock, uint64_t samples);

#endif
