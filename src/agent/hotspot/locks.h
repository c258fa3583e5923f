/* Fills the part of hot/layout.h about the owners of locks, and about the objects for which threads are parked. */
#ifndef CANDOR_AGENT_HOTSPOT_LOCKS_H
#define CANDOR_AGENT_HOTSPOT_LOCKS_H

#include "agent/hot/layout.h"

/* Fills that part. Call it after layout_fill. libjvm: a dlopen handle. fields: the offsets of Java's fields, which are in no table; only
 * those members are read. What the tables lack stays unknown: owners, or the locks' classes, are then not reported. */
void locks_fill(void *libjvm, const struct vm_locks *fields);

#endif
