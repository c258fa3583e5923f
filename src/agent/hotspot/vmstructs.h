/* Reads the tables that libjvm exports for the serviceability agent (gHotSpotVMStructs and similar ones): names of types and fields with
 * offsets, sizes and constants. They are read only at the start, never by a handler. */
#ifndef CANDOR_AGENT_HOTSPOT_VMSTRUCTS_H
#define CANDOR_AGENT_HOTSPOT_VMSTRUCTS_H

#include "agent/hot/layout.h"

#include <stdbool.h>
#include <stdint.h>

struct vmstructs_table {
    const char *base;
    uint64_t stride;
    uint64_t name, second_name, type_string, is_static, offset, address; /* offsets in an entry */
};

struct vmstructs {
    struct vmstructs_table fields, types, ints, longs;
};

/* Opens the tables. Returns false if libjvm (a dlopen handle) does not export them. */
bool vmstructs_open(struct vmstructs *v, void *libjvm);
/* Finds a field of instances. Its width is that of the type in the table. Returns false if there is no such field. */
bool vmstructs_field(const struct vmstructs *v, const char *type, const char *field, struct vm_field *out);
/* Returns the address of a static field, or NULL. */
void *vmstructs_static(const struct vmstructs *v, const char *type, const char *field);
bool vmstructs_sizeof(const struct vmstructs *v, const char *type, uint64_t *size);
bool vmstructs_constant(const struct vmstructs *v, const char *name, int *value);
bool vmstructs_long_constant(const struct vmstructs *v, const char *name, uint64_t *value);

#endif
