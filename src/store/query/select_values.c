/* Sums up weights by recording and step, from the rows of segments. It is separate from select_series.c, because it cannot use sums that
 * are stored for all recordings of a segment; but a part whose seconds are all in one step needs no row: the catalog has its weight. */
#include "store/query/gather.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct selection {
    struct store_values *out;
    struct map places; /* (entry of the gather, step) -> place in the list */
    const struct gather *g;
    const struct store_query *query;
    struct store_result *result;
    int64_t step;
};

static int64_t step_of(const struct selection *l, int64_t second)
{
    return (second - l->query->from) / l->step;
}

static bool is_in_one_step(const struct selection *l, const struct gathered *of)
{
    return of->within && step_of(l, of->first) == step_of(l, of->last);
}

static int add(struct selection *l, const struct gathered *of, int64_t step, uint64_t weight)
{
    struct store_values *out = l->out;
    bool added;
    if (!weight)
        return 0;
    if (out->count == STORE_VALUES_MAX)
        return -E2BIG;
    if (ARRAY_GROW(out->list, out->cap, out->count))
        return -ENOMEM;
    uint32_t *place = map_add(&l->places, (uint64_t)(of - l->g->list) << 32 | (uint32_t)step, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        out->list[out->count] = (struct store_value){.series = of->by, .step = step, .recording = of->recording};
        *place = out->count++;
    }
    out->list[*place].weight += weight;
    return 0;
}

static int take_row(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row)
{
    struct selection *l = context;
    return is_in_one_step(l, of) ? 0 : add(l, of, step_of(l, segment->first + row->second), row->weight);
}

/* Adds the parts of one segment that need no row. Sets *rest if others remain. */
static int take_parts(struct selection *l, uint32_t at, bool *rest)
{
    int rc = 0;
    *rest = false;
    for (uint32_t i = at; !rc && i < l->g->count && l->g->list[i].segment == l->g->list[at].segment; i++) {
        const struct gathered *of = &l->g->list[i];
        if (is_in_one_step(l, of))
            rc = add(l, of, step_of(l, of->first), of->weight);
        else
            *rest = true;
    }
    return rc;
}

static int take_all(struct selection *l, struct store *s, struct error *e)
{
    int rc = 0;
    for (uint32_t at = 0; !rc && at < l->g->count;) {
        bool rest;
        uint32_t begin = at;
        rc = take_parts(l, at, &rest);
        if (!rc && rest)
            rc = gather_segment(l->g, s, l->query, &at, SEGMENT_SERIES, NULL, take_row, l, l->result, e);
        for (; !rest && at < l->g->count && l->g->list[at].segment == l->g->list[begin].segment; at++)
            l->result->weight += l->g->list[at].weight;
    }
    if (rc == -E2BIG)
        error_set(e, rc, "more than %d values: ask for a shorter time, a longer step, or fewer recordings", STORE_VALUES_MAX);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

static int compare(const void *left, const void *right)
{
    const struct store_value *a = left, *b = right;
    if (a->series != b->series)
        return a->series < b->series ? -1 : 1;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return (a->recording > b->recording) - (a->recording < b->recording);
}

/* Sorts the list. Two parts of a recording, of two days, may be in one step; they become one value. */
static void settle(struct store_values *v)
{
    uint32_t n = 0;
    if (v->count)
        qsort(v->list, v->count, sizeof *v->list, compare);
    for (uint32_t i = 0; i < v->count; i++) {
        if (n && !compare(&v->list[n - 1], &v->list[i]))
            v->list[n - 1].weight += v->list[i].weight;
        else
            v->list[n++] = v->list[i];
    }
    v->count = n;
}

/* Copies the label's values. Each value keeps the number that it has in the gather. */
static int take_values(struct store_values *out, const struct gather *g)
{
    for (uint32_t i = 0; i < g->values.count; i++) {
        char *copy = ARRAY_GROW(out->values, out->value_cap, i) ? NULL : strdup(strtab_text(&g->values, i));
        if (!copy)
            return -ENOMEM;
        out->values[out->value_count++] = copy;
    }
    return 0;
}

int store_values(struct store *s, const struct store_query *q, int64_t step, const char *by, struct store_values *out,
                 struct store_result *r, struct error *e)
{
    struct gather g;
    struct selection l = {.out = out, .g = &g, .query = q, .result = r, .step = step};
    *out = (struct store_values){0};
    map_init(&l.places);
    int rc = gather_init(&g, s, q, by, r, e);
    rc = rc ? rc : take_all(&l, s, e);
    if (!rc && take_values(out, &g))
        rc = error_set(e, -ENOMEM, "out of memory");
    settle(out);
    map_deinit(&l.places);
    gather_deinit(&g);
    return rc;
}

void store_values_deinit(struct store_values *v)
{
    for (uint32_t i = 0; i < v->value_count; i++)
        free(v->values[i]);
    free(v->values);
    free(v->list);
    *v = (struct store_values){0};
}
