/* The settings of a recording, which each of its chunks repeats: its events, their intervals, the clock. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_DESCRIBE_H
#define CANDOR_AGENT_COLLECT_SAMPLING_DESCRIBE_H

#include "agent/collect/session/session.h"
#include "agent/record/recording.h"
#include "agent/trigger/clocks/clock.h"

#include <stdbool.h>

/* Writes the settings of the recording, and those of the parts that have started. late: the agent was loaded after the JVM's start. */
void describe_recording(struct recording *r, const struct collect_options *options, const struct clock *clock, bool late);
/* Call it at the end: writes how often two walkers agreed, if each stack was walked by two. */
void describe_comparison(struct recording *r);

#endif
