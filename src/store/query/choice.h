/* Chooses the label sets that a query selects. */
#ifndef CANDOR_STORE_QUERY_CHOICE_H
#define CANDOR_STORE_QUERY_CHOICE_H

#include "base/map.h"
#include "base/strtab.h"
#include "store/store_internal.h"

/* Adds each label set that the selector matches to `labelsets`, with 1 + the id of the values of the labels `by` in `values`. by: one name,
 * or several with STORE_BY_SEPARATOR between them; NULL = none. Returns 0 or a code. */
int choice_labels(struct store *s, const struct store_query *q, const char *by, struct map *labelsets, struct strtab *values,
                  struct error *e);

#endif
