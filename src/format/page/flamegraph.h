/* The flame graph as one HTML file: the viewer page of web/ with the profile as JSON in it (web/README.md). Write errors
 * stay in the stream: ask ferror. */
#ifndef CANDOR_FORMAT_PAGE_FLAMEGRAPH_H
#define CANDOR_FORMAT_PAGE_FLAMEGRAPH_H

#include "format/page/page.h"

#include <stdio.h>

#define FLAMEGRAPH_MARK "<meta name=\"generator\" content=\"candor\">" /* near the beginning of every page */

/* The page with everything, for a browser; `threads`: it begins with a frame per thread. 0 or a code of calltree_build. */
int flamegraph_write(FILE *out, const struct profile *p, const char *title, bool threads);
/* The same with machine code of some methods. */
int flamegraph_write_code(FILE *out, const struct profile *p, const char *title, bool threads, const struct page_code *code,
                          size_t code_count);
/* The page of two profiles of one unit: a frame is as wide as after, and colored by what has changed since before. Of methods that
 * `changes` does not tell of (there may be none), the page finds itself whether they have. The same codes. */
int flamegraph_write_diff(FILE *out, const struct page_profile *before, const struct page_profile *after, const struct page_change *changes,
                          size_t change_count);
/* The data alone (web/README.md), for a page that is there already. */
int flamegraph_write_data(FILE *out, const struct profile *p, const char *title);

#endif
