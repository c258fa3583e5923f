/* A recording without its secrets: every text of every event and pool is put through base/redact.h, and what is called `value` by
 * the name beside it (`key` or `name`): system properties, environment variables, options, settings. What is taken out leaves
 * no trace of its length: events shrink, and what points across them is mended, so that any reader reads the result.
 *
 * Left out is what cannot be looked into: damaged ends of chunks, chunks without metadata, events of types that are not declared. */
#ifndef CANDOR_JFR_SCRUB_H
#define CANDOR_JFR_SCRUB_H

#include "jfr/reader.h"

struct jfr_scrubbed {
    uint64_t texts;  /* that were changed */
    uint64_t events; /* that they were in, constant pools not counted */
    uint64_t dropped; /* events that could not be looked into */
};

/* The chunk anew: *bytes (free them) and *size; the counts are added to. 0 or -ENOMEM. */
int jfr_scrub_chunk(struct jfr_chunk *c, uint8_t **bytes, size_t *size, struct jfr_scrubbed *counts);

#endif
