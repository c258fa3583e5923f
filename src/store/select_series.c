/* Rows of segments as weights over time. */
#include "store/gather.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct selection {
    struct store_series *out;
    struct map points; /* (value, step) -> point */
    const struct store_query *query;
    int64_t step;
};

static int take_row(void *context, const struct gathered *of, const struct segment *segment,
                    const struct segment_row *row)
{
    struct selection *l = context;
    struct store_series *out = l->out;
    int64_t step = (segment->first + row->second - l->query->from) / l->step;
    bool added;
    if (ARRAY_GROW(out->points, out->point_cap, out->point_count))
        return -ENOMEM;
    uint32_t *place = map_add(&l->points, (uint64_t)of->by << 32 | (uint32_t)step, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        out->points[out->point_count] = (struct store_point){.series = of->by, .step = step};
        *place = out->point_count++;
    }
    out->points[*place].weight += row->weight;
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct store_point *a = left, *b = right;
    if (a->series != b->series)
        return a->series < b->series ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

/* Values by their numbers in the gather. */
static int take_values(struct store_series *out, const struct gather *g)
{
    for (uint32_t i = 0; i < g->values.count; i++) {
        char *copy = ARRAY_GROW(out->values, out->value_cap, i) ? NULL : strdup(strtab_text(&g->values, i));
        if (!copy)
            return -ENOMEM;
        out->values[out->value_count++] = copy;
    }
    return 0;
}

int store_series(struct store *s, const struct store_query *q, int64_t step, const char *by, struct store_series *out,
                 struct store_result *r, struct error *e)
{
    struct gather g;
    struct selection l = {.out = out, .query = q, .step = step};
    *out = (struct store_series){0};
    int rc = gather_init(&g, s, q, by, r, e);
    map_init(&l.points);
    for (uint32_t at = 0; !rc && at < g.count;)
        rc = gather_segment(&g, s, q, &at, SEGMENT_SERIES, take_row, &l, r, e);
    if (!rc && take_values(out, &g))
        rc = error_set(e, -ENOMEM, "out of memory");
    if (out->point_count)
        qsort(out->points, out->point_count, sizeof *out->points, compare);
    map_deinit(&l.points);
    gather_deinit(&g);
    return rc;
}

void store_series_deinit(struct store_series *s)
{
    for (uint32_t i = 0; i < s->value_count; i++)
        free(s->values[i]);
    free(s->values);
    free(s->points);
    *s = (struct store_series){0};
}
