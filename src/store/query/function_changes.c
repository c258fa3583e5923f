#include "store/query/function_changes.h"

int function_changes_unit(struct changes *c, enum changes_side side, const struct store_functions *found, uint32_t group, uint32_t *unit)
{
    const struct store_group *of = &found->groups[group];
    int rc = changes_unit(c, side, strtab_text(&found->values, of->value), "", (uint32_t)of->slice, unit);
    if (!rc)
        changes_weigh(c, *unit, (double)of->all.weight, of->squares);
    return rc;
}

int function_changes_row(struct changes *c, const struct store_functions *found, const struct store_function *row, uint32_t unit)
{
    uint32_t figure;
    if (!row->name)
        return 0;
    int rc = changes_figure(c, strtab_text(&found->names, row->name), strtab_len(&found->names, row->name), 0, &figure);
    return rc ? rc : changes_add(c, figure, unit, (double)row->self.weight, (double)row->total.weight, (double)row->total.samples);
}
