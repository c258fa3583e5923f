/* Removes the secrets from a recording. Every text in every event and pool goes through base/text/redact.h. A field called `value` goes
 * through it together with the name beside it (`key` or `name`): system properties, environment variables, options, settings. A removed
 * text leaves no trace of its length: events shrink, and references across them are corrected, so that any reader can read the result.
 *
 * Parts that cannot be checked are left out: damaged ends of chunks, chunks without metadata, events of undeclared types. */
#ifndef CANDOR_JFR_READ_SCRUB_H
#define CANDOR_JFR_READ_SCRUB_H

#include "jfr/read/reader.h"

struct jfr_scrubbed {
    uint64_t texts;   /* texts that were changed */
    uint64_t events;  /* events that contained these texts, without constant pools */
    uint64_t dropped; /* events that could not be checked */
};

/* Writes the scrubbed chunk to *bytes, which the caller frees, and its length to *size. Adds to the counts. Returns 0 or -ENOMEM. */
int jfr_scrub_chunk(struct jfr_chunk *c, uint8_t **bytes, size_t *size, struct jfr_scrubbed *counts);

#endif
