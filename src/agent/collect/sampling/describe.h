/* The settings of a recording, which each of its chunks repeats: its events, their intervals, the clock. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_DESCRIBE_H
#define CANDOR_AGENT_COLLECT_SAMPLING_DESCRIBE_H

#include "agent/collect/sampling/sinks.h"
#include "agent/record/recording.h"

#include <stdbool.h>

/* Writes the settings of the sink's recording, and those of its parts. late: the agent was loaded after the JVM's start. */
void describe_recording(struct sink *s, bool late);
/* Writes only the setting that says which threads have clocks. Call it when that changes. */
void describe_clocks(struct recording *r);
/* Writes how often two walkers agreed, if each stack was walked by two. Call it at the end. */
void describe_comparison(struct recording *r);

#endif
