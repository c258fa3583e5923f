/* The ids in one constant pool of the chunk, as in id_set.h, and their keys in the pool. Keys are counted from 1 in the order in which the
 * ids arrive, because small consecutive numbers take the fewest bytes. The ids may be far apart. Time: O(1) expected. A set has one
 * owner. */
#ifndef CANDOR_JFR_WRITE_KEY_SET_H
#define CANDOR_JFR_WRITE_KEY_SET_H

#include "base/map.h"
#include "jfr/write/id_set.h"

struct key_set {
    struct id_set ids; /* only its list, because a bitmap of ids that are far apart takes much memory */
    struct map keys;
};

/* Notes that the chunk needs the id. *key: its key. For the id 0 the key is 0, and there is nothing to note. Returns false if out of
 * memory. */
bool key_set_need(struct key_set *s, uint32_t id, uint32_t *key);
/* Forgets everything for a new chunk, but keeps the memory. */
void key_set_clear(struct key_set *s);
void key_set_deinit(struct key_set *s);

#endif
