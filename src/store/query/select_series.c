/* Makes series of weights over time from the rows of segments. */
#include "store/query/gather.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 86400 };

/* Collects the weights of one value of the label by second of a day, and adds them to the points. */
struct selection {
    struct store *store;
    const struct gather *g;
    struct store_series *out;
    struct map points; /* (value, step) -> point */
    const struct store_query *query;
    struct store_result *result;
    int64_t step, first;
    uint32_t by, least, most; /* least, most: the first and last second with a weight; none if least > most */
    uint64_t *weights;
};

static int add_point(struct selection *l, int64_t step, uint64_t weight)
{
    struct store_series *out = l->out;
    bool added;
    if (ARRAY_GROW(out->points, out->point_cap, out->point_count))
        return -ENOMEM;
    uint32_t *place = map_add(&l->points, (uint64_t)l->by << 32 | (uint32_t)step, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        out->points[out->point_count] = (struct store_point){.series = l->by, .step = step};
        *place = out->point_count++;
    }
    out->points[*place].weight += weight;
    return 0;
}

static int flush(struct selection *l)
{
    uint32_t i = l->least;
    while (i <= l->most) {
        int64_t step = (l->first + i - l->query->from) / l->step, end = l->query->from + (step + 1) * l->step - l->first;
        uint64_t weight = 0;
        bool any = false;
        for (; i <= l->most && i < end; i++) {
            weight += l->weights[i];
            any = any || l->weights[i];
            l->weights[i] = 0;
        }
        if (any && add_point(l, step, weight))
            return -ENOMEM;
    }
    l->least = UINT32_MAX;
    l->most = 0;
    return 0;
}

/* Adds the weight of a second of a day. A good segment has no other seconds. */
static int take(struct selection *l, const struct gathered *of, int64_t first, uint32_t second, uint64_t weight)
{
    if (second >= SECONDS)
        return -EBADMSG;
    if ((of->by != l->by || first != l->first) && l->least != UINT32_MAX && flush(l))
        return -ENOMEM;
    l->by = of->by;
    l->first = first;
    l->weights[second] += weight;
    l->least = second < l->least ? second : l->least;
    l->most = second > l->most ? second : l->most;
    return 0;
}

static int take_row(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row,
                    const double *squares)
{
    return take(context, of, segment->first, row->second, row->weight);
}

static int take_seconds(void *context, const struct gathered *of, const struct segment *segment)
{
    struct selection *l = context;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < segment->second_count; i++) {
        const struct segment_second *s = &segment->seconds[i];
        if (segment->first + s->second < l->query->from || segment->first + s->second >= l->query->to)
            continue;
        l->result->weight += s->weight;
        rc = take(l, of, segment->first, s->second, s->weight);
    }
    return rc;
}

static int take_segment(void *context, uint32_t *at, const struct gather_fit *fit, struct error *e)
{
    struct selection *l = context;
    bool done;
    int rc = gather_sums(l->g, l->store, l->query, at, GATHER_SECONDS, fit, take_seconds, l, l->result, &done, e);
    return rc || done ? rc : gather_segment(l->g, l->store, l->query, at, SEGMENT_SERIES, fit, take_row, l, l->result, e);
}

static int take_all(struct selection *l, struct error *e)
{
    int rc = gather_segments(l->g, l->store, take_segment, l, e);
    if (!rc && l->least != UINT32_MAX && flush(l))
        rc = error_set(e, -ENOMEM, "out of memory");
    return rc == -EBADMSG ? error_set(e, rc, "a segment has seconds beyond its day") : rc;
}

static int compare(const void *left, const void *right)
{
    const struct store_point *a = left, *b = right;
    if (a->series != b->series)
        return a->series < b->series ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

int store_series(struct store *s, const struct store_query *q, int64_t step, const char *by, struct store_series *out,
                 struct store_result *r, struct error *e)
{
    struct gather g;
    struct selection l = {.store = s, .g = &g, .out = out, .query = q, .result = r, .step = step, .least = UINT32_MAX};
    *out = (struct store_series){0};
    int rc = gather_init(&g, s, q, by, step, r, e);
    rc = rc ? rc : select_books(&g, s, q, r, e);
    map_init(&l.points);
    l.weights = calloc(SECONDS, sizeof *l.weights);
    if (!rc && !l.weights)
        rc = error_set(e, -ENOMEM, "out of memory");
    rc = rc ? rc : take_all(&l, e);
    if (!rc && gather_copy_values(&g, &out->values, &out->value_count))
        rc = error_set(e, -ENOMEM, "out of memory");
    if (out->point_count)
        qsort(out->points, out->point_count, sizeof *out->points, compare);
    map_deinit(&l.points);
    free(l.weights);
    gather_deinit(&g);
    return rc;
}

void store_series_deinit(struct store_series *s)
{
    gather_free_values(s->values, s->value_count);
    free(s->points);
    *s = (struct store_series){0};
}
