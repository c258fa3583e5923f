/* The flame graph as one HTML file: the viewer page of web/ with the profile as JSON in it (web/README.md). Write errors
 * stay in the stream: ask ferror. */
#ifndef CANDOR_FORMAT_FLAMEGRAPH_H
#define CANDOR_FORMAT_FLAMEGRAPH_H

#include "profile/profile.h"

#include <stdio.h>

/* The page with everything, for a browser. 0 or a code of calltree_build. */
int flamegraph_write(FILE *out, const struct profile *p, const char *title, bool threads);

#endif
