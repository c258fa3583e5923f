/* The ids in one constant pool of the chunk, as in id_set.h, and their keys in it: counted from 1 in the order in which the ids
 * come, because small consecutive numbers take the fewest bytes. The ids may be far apart. Time: O(1) expected. One owner. */
#ifndef CANDOR_JFR_WRITE_KEY_SET_H
#define CANDOR_JFR_WRITE_KEY_SET_H

#include "base/map.h"
#include "jfr/write/id_set.h"

struct key_set {
    struct id_set ids;
    struct map keys;
};

/* Notes that the chunk needs the id. *key: its key; 0 for the id 0, with nothing to note. False when out of memory. */
bool key_set_need(struct key_set *s, uint32_t id, uint32_t *key);
/* Forgets everything, for a new chunk; keeps the memory. */
void key_set_clear(struct key_set *s);
void key_set_deinit(struct key_set *s);

#endif
