/* Finds the field that belongs to a JVMTI field index. First come the fields of all interfaces that a class implements, by itself or by its
 * superclasses, each interface once. Then come, from java.lang.Object down, the fields that each class declares, in the order of
 * GetClassFields, including static ones. For an interface: the fields of its superinterfaces, then its own.
 *
 * The function is plain arithmetic over the counts. */
#ifndef CANDOR_AGENT_PATHS_FIELD_INDEX_H
#define CANDOR_AGENT_PATHS_FIELD_INDEX_H

#include <stdbool.h>
#include <stdint.h>

enum { FIELD_INDEX_CLASSES_MAX = 64 };

struct field_counts {
    uint32_t interfaces;                       /* number of fields of all interfaces together */
    uint32_t classes[FIELD_INDEX_CLASSES_MAX]; /* fields of the class itself, its superclass, ... java.lang.Object; or of an interface
                                                * alone */
    uint32_t class_count;
};

/* Finds the class, as an index in `classes`, and the field, as an index among the fields that this class declares. Returns false if there
 * is none. */
bool field_index_find(const struct field_counts *c, int32_t index, uint32_t *class_place, uint32_t *field);

#endif
