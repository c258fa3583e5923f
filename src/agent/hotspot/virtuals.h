/* Fills the part of hot/layout.h about Java objects and virtual threads. */
#ifndef CANDOR_AGENT_HOTSPOT_VIRTUALS_H
#define CANDOR_AGENT_HOTSPOT_VIRTUALS_H

#include "agent/hot/layout.h"

#include <stddef.h>

/* libjvm: a dlopen handle. fields: where the classes' fields lie, which no table holds; only those members are read, and
 * bytes_in_array is that of a byte[]. Call after layout_fill. Sets vm_layout.virtuals.usable, which stays false where the
 * tables lack something: virtual threads are then shown as what their carriers do. */
void virtuals_fill(void *libjvm, const struct vm_virtual *fields, uint16_t bytes_in_array);
/* Reports a stub that the JVM has generated; the one that continuations return to is remembered. Before the first sample. */
void virtuals_note_stub(const char *name, uintptr_t begin, size_t length);

#endif
