#include "server/fleet/top_side.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_own(void *context, const struct store_function_name *name)
{
    return store_function_is_own(name);
}

static int compare_rows(const void *left, const void *right)
{
    const struct store_function *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

static int index_rows(struct top_side *side)
{
    struct store_functions *found = &side->found;
    side->first = calloc((size_t)found->group_count + 2, sizeof *side->first);
    side->place_of = calloc((size_t)found->group_count + 1, sizeof *side->place_of);
    if (!side->first || !side->place_of)
        return -ENOMEM;
    if (found->count)
        qsort(found->rows, found->count, sizeof *found->rows, compare_rows);
    for (uint32_t i = 0; i < found->count; i++)
        side->first[found->rows[i].group + 1] = i + 1;
    for (uint32_t i = 1; i <= found->group_count; i++)
        if (!side->first[i])
            side->first[i] = side->first[i - 1];
    return 0;
}

int top_side_init(struct top_side *side, struct store *store, const struct store_query *q, const struct figures_by *by, unsigned lead,
                  struct error *e)
{
    const struct store_function_query wanted = {.matches = is_own,
                                                .by = figures_by_names(by),
                                                .slice = (q->to - q->from + CHANGES_BLOCKS - 1) / CHANGES_BLOCKS,
                                                .lead = lead,
                                                .nearest = true,
                                                .whole = true};
    *side = (struct top_side){0};
    int rc = store_functions(store, q, &wanted, &side->found, &side->result, e);
    if (!rc && index_rows(side))
        rc = error_set(e, -ENOMEM, "out of memory");
    return rc;
}

void top_side_deinit(struct top_side *side)
{
    store_functions_deinit(&side->found);
    store_result_deinit(&side->result);
    free(side->first);
    free(side->place_of);
}

const char *top_side_value(const struct top_side *side, uint32_t group, unsigned lead, size_t *len)
{
    const char *value = strtab_text(&side->found.values, side->found.groups[group].value), *at = value;
    for (unsigned i = 0; i < lead; i++) {
        at += i && *at;
        at += strcspn(at, (char[]){STORE_BY_SEPARATOR, 0});
    }
    *len = (size_t)(at - value);
    return value;
}

/* ---- hosts ---- */

static int add_group(const struct top_side *side, uint32_t group, struct changes *c, enum changes_side as)
{
    uint32_t unit;
    int rc = function_changes_unit(c, as, &side->found, group, &unit);
    for (uint32_t i = side->first[group]; !rc && i < side->first[group + 1]; i++)
        rc = function_changes_row(c, &side->found, &side->found.rows[i], unit);
    return rc;
}

int top_side_add(const struct top_side *side, uint32_t place, struct changes *c, enum changes_side as)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < side->found.group_count; i++)
        if (side->place_of[i] == place && side->found.groups[i].all.weight)
            rc = add_group(side, i, c, as);
    return rc;
}
