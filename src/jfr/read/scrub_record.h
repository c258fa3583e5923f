/* One record of a chunk (an event, a pool) written anew without secrets; the inside of scrub.c. */
#ifndef CANDOR_JFR_READ_SCRUB_RECORD_H
#define CANDOR_JFR_READ_SCRUB_RECORD_H

#include "jfr/read/reader_internal.h"

struct scrub {
    struct jfr_chunk *chunk;
    struct buffer out;      /* the record at hand, without its size */
    uint64_t texts, events; /* changed so far */
    struct map masked;      /* keys of pooled strings that are secret by their name */
    const char *name;       /* beside the value at hand, or "" */
    bool out_of_memory;
};

/* Notes secret values that lie in the pool of strings: to be done before anything is written. 0 or -ENOMEM. */
int scrub_find_masked(struct scrub *s);
/* Copies what stands between; returns next, which may be NULL (then nothing is copied). */
const uint8_t *scrub_copy(struct scrub *s, const uint8_t *at, const uint8_t *next);
/* An event from its type on, up to its end. False when it cannot be looked into. */
bool scrub_event(struct scrub *s, struct jfr_event *event, const uint8_t *type, const uint8_t *end);
/* One pool of a checkpoint: where it ends, NULL when it is damaged. */
const uint8_t *scrub_pool(struct scrub *s, const uint8_t *at, const uint8_t *end);

#endif
