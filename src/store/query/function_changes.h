/* Adds the sums of methods by host (functions.h) to a comparison that pairs hosts (profile/figures/changes.h). The query must make groups
 * by host, with the sums over all samples (`whole`); a group that is split by time has its slices as blocks. There are no calls among these
 * sums, so the comparison must have `any_pair`. */
#ifndef CANDOR_STORE_QUERY_FUNCTION_CHANGES_H
#define CANDOR_STORE_QUERY_FUNCTION_CHANGES_H

#include "profile/figures/changes.h"
#include "store/functions.h"

/* Adds a group as a unit. The values of its labels are the host's name. Returns 0 or -ENOMEM. */
int function_changes_unit(struct changes *c, enum changes_side side, const struct store_functions *found, uint32_t group, uint32_t *unit);
/* Adds one of the group's rows; the row of all methods together is left out. Returns 0, -ENOMEM or -E2BIG. */
int function_changes_row(struct changes *c, const struct store_functions *found, const struct store_function *row, uint32_t unit);

#endif
