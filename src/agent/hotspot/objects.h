/* Fills the part of hot/layout.h about Java objects, except for the offset at which an array's bytes begin. */
#ifndef CANDOR_AGENT_HOTSPOT_OBJECTS_H
#define CANDOR_AGENT_HOTSPOT_OBJECTS_H

#include "agent/hotspot/vmstructs.h"

#include <stdbool.h>

/* Fills that part. Call it after layout_fill; another call does nothing. libjvm: a dlopen handle. Returns false if the tables lack
 * something. */
bool objects_fill(const struct vmstructs *v, void *libjvm);

#endif
