/* Reads and writes pprof's format (profile.proto), plain or gzipped, as `go tool pprof` and many other tools do.
 *
 * The format can express a profile's stacks with lines, bytecode indices and frame types, its threads, states, weights and counts. It
 * has no place for the samples' times. docs/formats/pprof.md describes the mapping. */
#ifndef CANDOR_FORMAT_PPROF_H
#define CANDOR_FORMAT_PPROF_H

#include "format/import.h"

#include <stdio.h>

import_reader pprof_read;
/* Counts the samples of a profile without reading them. Stops at damaged bytes. */
uint64_t pprof_samples(const void *bytes, size_t size);
/* Writes a profile with gzip. Write errors stay in the stream; the caller checks ferror. Returns 0, -ENOMEM, or -EFBIG if a text, or the
 * stack and labels of a sample, have 16 MiB or more. */
int pprof_write(FILE *out, const struct profile *p);
/* Names of the types of each sample's two values (the count and the weight), and of the period. */
struct pprof_types {
    const char *count, *value, *unit, *period, *period_unit;
};
/* Writes a profile with these names of types (NULL = pprof_write's names), for a back end that makes a series from each set of labels.
 * Therefore the labels are only those that the program set, without the thread and its state, and there are no comments. Errors are
 * those of pprof_write. */
int pprof_write_as(FILE *out, const struct profile *p, const struct pprof_types *types);
/* Writes a profile as pprof_write does, but without gzip. */
int pprof_write_plain(FILE *out, const struct profile *p);

#endif
