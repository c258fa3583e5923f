/* One of the two times that top.c compares: the sums of the program's own methods by host. A group with one host only is split into blocks
 * of time. */
#ifndef CANDOR_SERVER_FLEET_TOP_SIDE_H
#define CANDOR_SERVER_FLEET_TOP_SIDE_H

#include "server/fleet/figures.h"
#include "store/query/function_changes.h"

struct top_side {
    struct store_functions found; /* its rows are sorted by group */
    struct store_result result;
    uint32_t *first;    /* by group of the store: its first row; one more at the end */
    uint32_t *place_of; /* by group of the store: its place among the shown groups, UINT32_MAX = none */
};

/* Asks the store. `by` is the labels of the shown groups, and the host. Returns 0 or a code with a message in e. Call top_side_deinit
 * in each case. */
int top_side_init(struct top_side *side, struct store *store, const struct store_query *q, const struct figures_by *by, unsigned lead,
                  struct error *e);
void top_side_deinit(struct top_side *side);
/* Returns the value of a group of the store, without that of the host: its first `lead` values, *len bytes. */
const char *top_side_value(const struct top_side *side, uint32_t group, unsigned lead, size_t *len);
/* Adds the hosts of the group at `place` to a side of the comparison. Returns 0, -ENOMEM or -E2BIG. */
int top_side_add(const struct top_side *side, uint32_t place, struct changes *c, enum changes_side as);

#endif
