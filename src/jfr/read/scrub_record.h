/* Writes one record of a chunk (an event or a pool) without secrets. It is a part of scrub.c. */
#ifndef CANDOR_JFR_READ_SCRUB_RECORD_H
#define CANDOR_JFR_READ_SCRUB_RECORD_H

#include "jfr/read/reader_internal.h"

struct scrub {
    struct jfr_chunk *chunk;
    struct buffer out;      /* the present record, without its size */
    uint64_t texts, events; /* number of changed texts and events so far */
    struct map masked;      /* keys of pooled strings that are secret by their name */
    const char *name;       /* the name beside the present value, or "" */
    bool out_of_memory;
};

/* Notes secret values that are in the pool of strings. Call it before anything is written. Returns 0 or -ENOMEM. */
int scrub_find_masked(struct scrub *s);
/* Copies the bytes from at to next. Returns next; if that is NULL, nothing is copied. */
const uint8_t *scrub_copy(struct scrub *s, const uint8_t *at, const uint8_t *next);
/* Writes an event, from its type to its end. Returns false if the event cannot be read. */
bool scrub_event(struct scrub *s, struct jfr_event *event, const uint8_t *type, const uint8_t *end);
/* Writes one pool of a checkpoint. Returns where it ends, or NULL if it is damaged. */
const uint8_t *scrub_pool(struct scrub *s, const uint8_t *at, const uint8_t *end);

#endif
