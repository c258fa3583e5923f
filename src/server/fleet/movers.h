/* The methods of a group of top.c that have surely changed since the earlier time. The test is that of /v1/changes: hosts are compared with
 * themselves, and a single host by blocks of time. */
#ifndef CANDOR_SERVER_FLEET_MOVERS_H
#define CANDOR_SERVER_FLEET_MOVERS_H

#include "base/text/jsonw.h"
#include "server/fleet/top_side.h"

/* Writes the members `design`, `reason`, `movers` (null if nothing can be compared) and `movers_left_out`. sides: by enum changes_side;
 * place: of the group in both; groups: how many groups the answer compares. Returns 0, -ENOMEM or -E2BIG. */
int movers_put(struct jsonw *j, const struct top_side sides[2], uint32_t place, uint32_t groups, uint32_t limit);

#endif
