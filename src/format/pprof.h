/* pprof's format (profile.proto), plain or gzipped, as `go tool pprof` and many others read and write it.
 *
 * It keeps stacks with lines, bytecode indices and frame types, threads, states, weights and counts of a profile. It has no
 * place for the samples' times. docs/formats/pprof.md describes the mapping. */
#ifndef CANDOR_FORMAT_PPROF_H
#define CANDOR_FORMAT_PPROF_H

#include "format/import.h"

#include <stdio.h>

import_reader pprof_read;
/* Write errors stay in the stream: ask ferror. 0, -ENOMEM, or -EFBIG: a text, or a sample's stack and labels, have 16 MiB or more. */
int pprof_write(FILE *out, const struct profile *p);
/* The types of the two values of each sample, the count and the weight, and of the period. */
struct pprof_types {
    const char *count, *value, *unit, *period, *period_unit;
};
/* The same, by these names (NULL = its own), for a back end that makes a series of each label: labels are what the program set, not the
 * thread and its state, and there are no comments. */
int pprof_write_as(FILE *out, const struct profile *p, const struct pprof_types *types);
/* The same as pprof_write without gzip. */
int pprof_write_plain(FILE *out, const struct profile *p);

#endif
