/* Lets a reader compute a number for each entry of a constant pool, such as the id of a stack in the reader's own table.
 *
 * Events refer to few stacks, threads and methods many times over. The number of an entry is computed when the first event refers to it,
 * and is then kept by the entry's key. Keys are valid in one chunk: call map_clear at the next. */
#ifndef CANDOR_JFR_READ_ONCE_H
#define CANDOR_JFR_READ_ONCE_H

#include "base/map.h"
#include "jfr/read/reader.h"

/* Computes the number of a value. Returns 0, or a negative code; then nothing is kept. */
typedef int jfr_make(void *context, struct jfr_value value, uint32_t *made);

/* Calls `make` for the value of the event's field, once for each entry of a constant pool, and keeps the result in `made`. Use one map for
 * each pair of a field's type and a maker. For a value that is not in a pool, `make` is called each time. f NULL: there is no value.
 * Returns 0, the maker's code, or -ENOMEM. */
int jfr_event_once(struct jfr_event *event, const struct jfr_field *f, struct map *made, jfr_make *make, void *context, uint32_t *out);

#endif
