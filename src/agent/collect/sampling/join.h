/* Checks whether a recording can run beside the recordings that already run. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_JOIN_H
#define CANDOR_AGENT_COLLECT_SAMPLING_JOIN_H

#include "agent/collect/session/session.h"
#include "agent/trigger/clocks/clock.h"
#include "base/error.h"

/* Checks the options of a new recording. now: the combined options of the running recordings. Returns 0 or a negative errno; the error says
 * what the new recording cannot have, and why. */
int join_check(const struct collect_options *wanted, const struct collect_options *now, const struct clock *clock, struct error *e);

#endif
