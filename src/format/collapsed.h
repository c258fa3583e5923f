/* Reads and writes collapsed stacks, the text format that flamegraph.pl, speedscope and many other tools read. It has one line for each
 * stack, with the root first:
 *
 *     thread;frame;frame WEIGHT
 *
 * The lines have the order of the tree, with the heaviest branch first. In names, ';' becomes ':', and control characters and invalid
 * UTF-8 become '?'. Write errors stay in the stream; the caller checks ferror. */
#ifndef CANDOR_FORMAT_COLLAPSED_H
#define CANDOR_FORMAT_COLLAPSED_H

#include "format/import.h"

#include <stdio.h>

enum collapsed_unit {
    COLLAPSED_SAMPLES, /* weights in nominal intervals, rounded so that their sum is the rounded sum of all */
    COLLAPSED_NS,      /* nanoseconds of CPU time, not rounded (samples if the profile has no time) */
};

/* Writes the stacks. threads: the first frame is the thread. Returns 0 or a code of calltree_build. */
int collapsed_write(FILE *out, const struct profile *p, enum collapsed_unit unit, bool threads);

/* Reads collapsed stacks. Weights count samples; with the value "ns" they are nanoseconds. Recognizes async-profiler's marks of threads
 * and frame types. Empty lines, and lines that begin with '#', are comments. Other lines that do not end in a number are left out. */
import_reader collapsed_read;
/* Whether bytes, the beginning of a file, look like collapsed stacks and are probably no other format. whole = they are the whole file. */
bool collapsed_is(const uint8_t *bytes, size_t size, bool whole);

#endif
