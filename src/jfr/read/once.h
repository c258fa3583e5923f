/* What a reader makes of the entries of constant pools: a number for each, such as the id of a stack in its own table.
 *
 * Events refer to few stacks, threads and methods many times over. A reader that makes something of an entry does so when the first
 * event refers to it, and keeps the result by the entry's key. Keys are valid in one chunk: map_clear at the next. */
#ifndef CANDOR_JFR_READ_ONCE_H
#define CANDOR_JFR_READ_ONCE_H

#include "base/map.h"
#include "jfr/read/reader.h"

/* Makes something of a value. 0, or a negative code; then nothing is kept. */
typedef int jfr_make(void *context, struct jfr_value value, uint32_t *made);

/* Calls `make` for the value of the event's field, once for each entry of a constant pool, and remembers the result in `made`. Use
 * one map for each pair of a field's type and a maker. A value that is not in a pool is made each time. f NULL: there is no value. 0,
 * the maker's code, or -ENOMEM. */
int jfr_event_once(struct jfr_event *event, const struct jfr_field *f, struct map *made, jfr_make *make, void *context, uint32_t *out);

#endif
