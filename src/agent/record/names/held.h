/* The objects on the paths in events, in the form that the writer needs (struct jfr_held_object). They are kept until they are in the file,
 * for one search at a time. Their ids grow during the whole recording, so no id occurs twice in a chunk. Only the collector uses this
 * file. */
#ifndef CANDOR_AGENT_RECORD_NAMES_HELD_H
#define CANDOR_AGENT_RECORD_NAMES_HELD_H

#include "jfr/write/writer.h"

#include <stdint.h>

struct held {
    struct jfr_held_object *list;
    uint32_t first, count; /* first: the id of the first object */
    uint32_t used;         /* ids */
};

void held_deinit(struct held *h);
/* Replaces the objects by `count` new ones, all zero. Their ids start at h->first, and so do the holders in them. Returns 0, or -ENOMEM:
 * then there are none. */
int held_reserve(struct held *h, uint32_t count);
/* Fills *out with the object that has this id. */
void held_get(const struct held *h, uint32_t id, struct jfr_held_object *out);

#endif
