/* Adds further parts of a recording to its page: its halts, findings, locks and what is alive, in the JSON format of their
 * reports, the events of its threads (marks.h), and its spans (spans.h). */
#ifndef CANDOR_CLI_CONVERT_PAGE_PARTS_H
#define CANDOR_CLI_CONVERT_PAGE_PARTS_H

#include "format/page/flamegraph.h"
#include "format/page/spans.h"

enum { PAGE_HALTS = 500, PAGE_FINDINGS = 30 }; /* the largest numbers on a page; PAGE_HALTS applies to each scope */

/* Adds these parts of the file. A file that is not a JFR recording, or cannot be read again, has none. kinds: the kinds of sample that the
 * file has (bits). spans: those of its samples. trace_link: NULL = none. Returns 0 or -ENOMEM. */
int page_parts_add(struct flamegraph *f, const char *path, unsigned kinds, struct spans *spans, const char *trace_link);

#endif
