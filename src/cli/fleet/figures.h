/* What the views about methods share: their options, and figures with a share and its interval, as cells of a table. */
#ifndef CANDOR_CLI_FLEET_FIGURES_H
#define CANDOR_CLI_FLEET_FIGURES_H

#include "cli/fleet/fleet.h"
#include "cli/fleet/table.h"

/* Adds the options --by, --type and --limit to the query. */
void figures_put_options(const struct fleet *f, struct buffer *query);
/* Returns the unit of the answer's weights, "ns" or "bytes" or another word. The answer owns it. */
const char *figures_unit(const json_t *answer);
/* Adds three cells: the weight NAME, its share of the whole, and the share's interval. */
void figures_add(struct table *t, const json_t *row, const char *name, const char *unit);

#endif
