/* Whether a recording can be made beside those that run. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_JOIN_H
#define CANDOR_AGENT_COLLECT_SAMPLING_JOIN_H

#include "agent/collect/session/session.h"
#include "agent/trigger/clocks/clock.h"
#include "base/error.h"

/* now: what is sampled. 0, or a negative errno with what it cannot have, and why. */
int join_check(const struct collect_options *wanted, const struct collect_options *now, const struct clock *clock, struct error *e);

#endif
