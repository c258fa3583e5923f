/* Values of key metrics (base/agreed/key_metrics.h) as cells of a table, each in the form that suits its unit. */
#ifndef CANDOR_CLI_FLEET_CELLS_H
#define CANDOR_CLI_FLEET_CELLS_H

#include "cli/fleet/table.h"

#include <jansson.h>

/* Adds a value, a number or null, in the unit that the server names: "share" becomes percent, bytes and seconds get a prefix. */
void cells_add(struct table *t, const json_t *value, const char *unit);
/* Adds a time in seconds since the epoch: "2026-11-22 16:41". */
void cells_add_time(struct table *t, json_int_t seconds);
/* Prints how many recordings have no key metrics, if there are some. */
struct fleet;
void cells_print_without(const struct fleet *f, const json_t *answer);

#endif
