/* A profile with everything that formats may hold or lose, and it in each format: what the tests of formats, and their fuzzers, begin
 * with. Out of memory ends the test. */
#ifndef TESTS_FORMAT_SEED_H
#define TESTS_FORMAT_SEED_H

#include "format/import.h"

struct format_seed {
    const char *name; /* "pprof"; of OTLP also "otlp-1.9", of hpl "hpl-old" */
    import_reader *read;
    unsigned holds; /* of enum format_text */
    uint8_t *bytes; /* decompressed where it is gzip's */
    size_t size;
};

enum { FORMAT_SEEDS = 13 };

void format_seed_profile(struct profile *p);
/* The caller frees the bytes. */
void format_seeds(struct format_seed seeds[FORMAT_SEEDS], const struct profile *p);
int format_seed_read(struct profile *p, const struct format_seed *seed, const uint8_t *bytes, size_t size, struct error *e);

#endif
