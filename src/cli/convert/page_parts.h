/* What the page of a recording has beside samples: its halts, its findings and its locks, as their reports have them in JSON. */
#ifndef CANDOR_CLI_CONVERT_PAGE_PARTS_H
#define CANDOR_CLI_CONVERT_PAGE_PARTS_H

#include "format/page/flamegraph.h"

enum { PAGE_HALTS = 500, PAGE_FINDINGS = 30 }; /* at most, of halts for each scope */

/* Adds what the file has of them: a file that is no JFR recording, or cannot be read again, has none. kinds: of
 * sample that it has (bits). 0 or -ENOMEM. */
int page_parts_add(struct flamegraph *f, const char *path, unsigned kinds);

#endif
