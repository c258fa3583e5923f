/* pprof's format (profile.proto), plain or by gzip, as `go tool pprof` and many others read and write it.
 *
 * What it holds of a profile: stacks with lines, bytecode indices and frame types, threads, states, weights, counts. The samples' times
 * it has no place for. What stands where: docs/formats/pprof.md. */
#ifndef CANDOR_FORMAT_PPROF_H
#define CANDOR_FORMAT_PPROF_H

#include "format/import.h"

#include <stdio.h>

import_reader pprof_read;
/* Write errors stay in the stream: ask ferror. 0 or -ENOMEM. */
int pprof_write(FILE *out, const struct profile *p);

#endif
