/* Handles other owners of one of our signals. They have taken it in a way that the agent cannot prevent (trigger/hooks/claims.h): a
 * debugger, code that makes the system call itself, or the JVM when it dies. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_TAKERS_H
#define CANDOR_AGENT_COLLECT_SAMPLING_TAKERS_H

#include "agent/collect/session/session.h"
#include "agent/trigger/clocks/clock.h"

/* Looks for another owner of the clock's signal or timer. If there is one, the agent gives way: it changes to another clock if possible,
 * and writes a warning into the recordings. Call it often. */
void takers_look(const struct collect_options *options, const struct clock *clock);
/* Looks for debuggers, which install no handler by which they could be found, and gives way in the same manner. Call it whenever the queues
 * have been read. samples: how many samples the clock has taken so far. */
void takers_look_for_debuggers(const struct collect_options *options, const struct clock *clock, uint64_t samples);

#endif
