/* Fills the part of hot/layout.h about Java objects, except for where an array's bytes begin. */
#ifndef CANDOR_AGENT_HOTSPOT_OBJECTS_H
#define CANDOR_AGENT_HOTSPOT_OBJECTS_H

#include "agent/hotspot/vmstructs.h"

#include <stdbool.h>

/* libjvm: a dlopen handle. Call after layout_fill; again does nothing. False where the tables lack something. */
bool objects_fill(const struct vmstructs *v, void *libjvm);

#endif
