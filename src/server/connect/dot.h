/* Draws a profile as a graph of functions, in the language of Graphviz: who calls whom, and how much each has. */
#ifndef CANDOR_SERVER_CONNECT_DOT_H
#define CANDOR_SERVER_CONNECT_DOT_H

#include "profile/profile.h"

#include <stdio.h>

/* Draws the `most` functions that have most. Calls by way of functions that are left out are drawn dashed; the caption says how many
 * functions there are, and what they have. Returns 0 or -ENOMEM. Write errors stay in the stream. */
int dot_write(FILE *out, const struct profile *p, uint32_t most);

#endif
