/* The ids in one constant pool of the chunk (a bitmap), and those of them that are not written yet (a list, in order of arrival). Ids are
 * small numbers. Time: O(1). A set has one owner. */
#ifndef CANDOR_JFR_WRITE_ID_SET_H
#define CANDOR_JFR_WRITE_ID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_set {
    uint64_t *known;
    size_t words;
    uint32_t *pending;
    size_t pending_count, pending_cap;
};

/* Notes that the chunk needs the id; for 0 there is nothing to note. Returns false if out of memory. */
bool id_set_need(struct id_set *s, uint32_t id);
/* Adds an id to the list, for a caller that knows that it is new. */
bool id_set_push(struct id_set *s, uint32_t id);
/* Forgets everything for a new chunk, but keeps the memory. */
void id_set_clear(struct id_set *s);
void id_set_deinit(struct id_set *s);

#endif
