/* Fills the part of hot/layout.h about owners of locks, and about what threads are parked for. */
#ifndef CANDOR_AGENT_HOTSPOT_LOCKS_H
#define CANDOR_AGENT_HOTSPOT_LOCKS_H

#include "agent/hot/layout.h"

/* libjvm: a dlopen handle. fields: the offsets of Java's fields, which are in no table; only those members are read. Call after
 * layout_fill. If the tables lack something, it stays unknown: owners, or the locks' classes, are then not reported. */
void locks_fill(void *libjvm, const struct vm_locks *fields);

#endif
