/* The objects on the paths in events, as the writer needs them (struct jfr_held_object), until they are in the file: those of
 * one search at a time. Their ids grow during the whole recording, so that no two in a chunk are the same. Collector only. */
#ifndef CANDOR_AGENT_RECORD_NAMES_HELD_H
#define CANDOR_AGENT_RECORD_NAMES_HELD_H

#include "jfr/write/writer.h"

#include <stdint.h>

struct held {
    struct jfr_held_object *list;
    uint32_t first, count; /* the id of the first */
    uint32_t used;         /* ids */
};

void held_deinit(struct held *h);
/* Replaces the objects by `count` new ones, all zero: their ids start at h->first, and so do the holders in them. 0 or -ENOMEM:
 * then there are none. */
int held_reserve(struct held *h, uint32_t count);
/* By id. */
void held_get(const struct held *h, uint32_t id, struct jfr_held_object *out);

#endif
