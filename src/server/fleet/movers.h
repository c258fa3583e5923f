/* The methods of a group of top.c whose share has changed by more than chance since the earlier time. The variance is that between hosts;
 * of a single host, that between parts of the time (top_side.h). */
#ifndef CANDOR_SERVER_FLEET_MOVERS_H
#define CANDOR_SERVER_FLEET_MOVERS_H

#include "base/text/jsonw.h"
#include "server/fleet/top_side.h"

/* Writes the members `movers` (null if there are too few hosts or parts) and `movers_left_out`. sides: by enum diff_side; place: of the
 * group in both; groups: how many groups the answer compares. Returns 0 or -ENOMEM. */
int movers_put(struct jsonw *j, const struct top_side sides[2], uint32_t place, uint32_t groups, uint32_t limit);

#endif
