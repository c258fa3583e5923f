/* Fills the part of hot/layout.h about owners of locks, and about what threads are parked for. */
#ifndef CANDOR_AGENT_HOTSPOT_LOCKS_H
#define CANDOR_AGENT_HOTSPOT_LOCKS_H

#include "agent/hot/layout.h"

/* libjvm: a dlopen handle. fields: where Java's fields lie, which no table holds; only those members are read. Call after layout_fill.
 * What the tables lack stays unknown: owners then, or the locks' classes, are not told. */
void locks_fill(void *libjvm, const struct vm_locks *fields);

#endif
