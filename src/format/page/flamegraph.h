/* Writes the flame graph as one HTML file: the viewer page of web/ with the profile as JSON in it (web/README.md). Write errors stay in
 * the stream; the caller checks ferror. */
#ifndef CANDOR_FORMAT_PAGE_FLAMEGRAPH_H
#define CANDOR_FORMAT_PAGE_FLAMEGRAPH_H

#include "format/page/page.h"

#include <stdio.h>

#define FLAMEGRAPH_MARK "<meta name=\"generator\" content=\"candor\">" /* near the beginning of every page */

/* Writes a complete page for a browser. `threads`: each stack begins with a frame for its thread. Returns 0 or a code of calltree_build. */
int flamegraph_write(FILE *out, const struct profile *p, const char *title, bool threads);
/* A page with several profiles, each of another kind. The page shows the first one at first, and the reader can choose another. The page
 * reads the data of the others only when the reader chooses them.
 *
 *   flamegraph_begin -> [ flamegraph_add ]+ -> flamegraph_end */
struct flamegraph {
    FILE *out;
    uint32_t parts;
};
void flamegraph_begin(struct flamegraph *f, FILE *out);
/* Adds a profile. extras: NULL = none. Returns 0 or a code of calltree_build. */
int flamegraph_add(struct flamegraph *f, const struct profile *p, const char *title, bool threads, const struct page_extras *extras);
/* Adds another report as JSON. The page knows it by the name of this part, such as "halts" or "locks". */
void flamegraph_add_json(struct flamegraph *f, const char *part, const char *json, size_t len);
void flamegraph_end(struct flamegraph *f);
/* Writes the page of two profiles with the same unit. The width of a frame is its weight in `after`, and its color shows the change
 * since `before`. `changes` may be empty; for methods that it does not contain, the page computes the change itself. Returns 0 or a code
 * of calltree_build. */
int flamegraph_write_diff(FILE *out, const struct page_profile *before, const struct page_profile *after, const struct page_change *changes,
                          size_t change_count);
/* Writes the page of a profile whose stacks are pruned, with the sums of its methods. data: write only the data (web/README.md), for a
 * page that is already loaded. Returns 0 or a code of calltree_build. */
int flamegraph_write_pruned(FILE *out, const struct profile *p, const char *title, bool data, const struct method_sum *sums, size_t count);
/* Writes only the data of a page. Returns 0 or a code of calltree_build. */
int flamegraph_write_data(FILE *out, const struct profile *p, const char *title);

#endif
