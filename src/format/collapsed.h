/* Collapsed stacks, the text that flamegraph.pl, speedscope and many others read: one line per stack, root first,
 *
 *     thread;frame;frame WEIGHT
 *
 * lines in the order of the tree, heaviest branch first. A ';' inside a name becomes ':', a control character or invalid UTF-8
 * becomes '?'. Write errors stay in the stream: ask ferror. */
#ifndef CANDOR_FORMAT_COLLAPSED_H
#define CANDOR_FORMAT_COLLAPSED_H

#include "format/import.h"

#include <stdio.h>

enum collapsed_unit {
    COLLAPSED_SAMPLES, /* weights in nominal intervals, rounded so that they add up to the rounded sum of all */
    COLLAPSED_NS,      /* nanoseconds of CPU time as they are (samples if the profile has nothing better) */
};

/* threads: the first frame is the thread. 0 or a code of calltree_build. */
int collapsed_write(FILE *out, const struct profile *p, enum collapsed_unit unit, bool threads);

/* Weights count samples; with the value "ns" they are nanoseconds. Knows async-profiler's marks of threads and frame types. Empty
 * lines, and those that begin with '#', are comments; others that do not end in a number are left out. */
import_reader collapsed_read;
/* Whether bytes, the beginning of a file, look like collapsed stacks and are hardly another format. whole = they are the whole file. */
bool collapsed_is(const uint8_t *bytes, size_t size, bool whole);

#endif
