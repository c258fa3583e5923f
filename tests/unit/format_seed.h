/* A profile that contains everything that formats may keep or lose, and the same profile in each format. The tests of formats, and their
 * fuzzers, start from these. If memory runs out, the test ends. */
#ifndef TESTS_FORMAT_SEED_H
#define TESTS_FORMAT_SEED_H

#include "format/import.h"

struct format_seed {
    const char *name; /* "pprof"; for OTLP also "otlp-1.9", for hpl "hpl-old" */
    import_reader *read;
    unsigned holds; /* of enum format_text */
    uint8_t *bytes; /* decompressed if it is packed with gzip */
    size_t size;
};

enum { FORMAT_SEEDS = 13 };

void format_seed_profile(struct profile *p);
/* The caller frees the bytes. */
void format_seeds(struct format_seed seeds[FORMAT_SEEDS], const struct profile *p);
int format_seed_read(struct profile *p, const struct format_seed *seed, const uint8_t *bytes, size_t size, struct error *e);

#endif
