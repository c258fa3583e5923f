/* Fills the part of hot/layout.h about Java objects and virtual threads. */
#ifndef CANDOR_AGENT_HOTSPOT_VIRTUALS_H
#define CANDOR_AGENT_HOTSPOT_VIRTUALS_H

#include "agent/hot/layout.h"

#include <stddef.h>

/* Fills both parts. Call it after layout_fill. libjvm: a dlopen handle. fields: the offsets of the classes' fields, which are in no table;
 * only those members are read. bytes_in_array: the offset of the bytes in a byte[]. The function sets vm_layout.virtuals.usable, which
 * stays false if the tables lack something: virtual threads are then shown as the work of their carriers. */
void virtuals_fill(void *libjvm, const struct vm_virtual *fields, uint16_t bytes_in_array);
/* Notes a stub that the JVM has generated. Only the stub to which continuations return is remembered. Call it before the first sample. */
void virtuals_note_stub(const char *name, uintptr_t begin, size_t length);

#endif
