/* The collector's part of the event halt: it turns pauses for garbage collection, and the count of safepoints, into events, and keeps their
 * books (docs/formats/recording.md). It is independent of the clocks' part. All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_HALT_PAUSES_H
#define CANDOR_AGENT_COLLECT_HALT_PAUSES_H

#include "agent/collect/part.h"

extern const struct part halt_part;

#endif
