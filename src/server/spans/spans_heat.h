/* A heat map of spans: how many of them began in each step of time and had how much. */
#ifndef CANDOR_SERVER_SPANS_SPANS_HEAT_H
#define CANDOR_SERVER_SPANS_SPANS_HEAT_H

#include "server/spans/spans_sum.h"

enum { SPANS_HEAT_COLUMNS = 200 };

/* Writes the member heat. columns: 1 to SPANS_HEAT_COLUMNS, or fewer if the time has fewer seconds. Returns 0 or -ENOMEM; then it has
 * written nothing. */
int spans_heat_put(struct jsonw *j, const struct spans *t, unsigned order, uint32_t columns);

#endif
