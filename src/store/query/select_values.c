/* Sums up weights by recording and step, from the rows of segments. It is separate from select_series.c, because it cannot use sums that
 * are stored for all recordings of a segment; but a part whose seconds are all in one step needs no row: the catalog has its weight. */
#include "store/query/gather.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct selection {
    struct store_values *out;
    struct map recordings; /* recording -> its number here */
    struct map series;     /* (number, value of the labels) -> number of the pair */
    struct map places;     /* (pair, step) -> place in the list */
    struct store *store;
    const struct gather *g;
    const struct store_query *query;
    struct store_result *result;
    int64_t step;
};

static int64_t step_of(const struct selection *l, int64_t second)
{
    return (second - l->query->from) / l->step;
}

/* Whether the part's weight is that of one step. Not if rows are also selected or split by the labels of samples. */
static bool is_in_one_step(const struct selection *l, const struct gathered *of)
{
    return !l->g->contexts && of->within && step_of(l, of->first) == step_of(l, of->last);
}

/* Returns the number of a key, in order of arrival. Returns NULL if there is no memory. */
static const uint32_t *number_of(struct map *m, uint64_t key)
{
    bool added;
    uint32_t *number = map_add(m, key, &added);
    if (number && added)
        *number = (uint32_t)m->count - 1;
    return number;
}

static int add(struct selection *l, const struct gathered *of, int64_t step, uint64_t weight)
{
    struct store_values *out = l->out;
    bool added;
    if (!weight)
        return 0;
    if (out->count == STORE_VALUES_MAX)
        return -E2BIG;
    const uint32_t *recording = number_of(&l->recordings, of->recording);
    const uint32_t *pair = recording ? number_of(&l->series, (uint64_t)*recording << 32 | of->by) : NULL;
    uint32_t *place = pair ? map_add(&l->places, (uint64_t)*pair << 32 | (uint32_t)step, &added) : NULL;
    if (!place || ARRAY_GROW(out->list, out->cap, out->count))
        return -ENOMEM;
    if (added) {
        out->list[out->count] = (struct store_value){.series = of->by, .step = step, .recording = of->recording};
        *place = out->count++;
    }
    out->list[*place].weight += weight;
    return 0;
}

static int take_row(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row,
                    const double *squares)
{
    struct selection *l = context;
    return of->rolled || is_in_one_step(l, of) ? 0 : add(l, of, step_of(l, segment->first + row->second), row->weight);
}

/* Adds the parts of one segment that need no row. Sets *rest if others remain. */
static int take_parts(struct selection *l, uint32_t at, bool *rest)
{
    int rc = 0;
    *rest = false;
    for (uint32_t i = at; !rc && i < l->g->count && l->g->list[i].segment == l->g->list[at].segment; i++) {
        const struct gathered *of = &l->g->list[i];
        if (of->rolled) /* the sum of many recordings; its rows are not read */
            missing_add(&l->result->missing, MISSING_UNREAD, of->parts, of->rows, of->weight);
        else if (is_in_one_step(l, of))
            rc = add(l, of, step_of(l, of->first), of->weight);
        else
            *rest = true;
    }
    return rc;
}

static int take_segment(void *context, uint32_t *at, const struct gather_fit *fit, struct error *e)
{
    struct selection *l = context;
    bool rest;
    uint32_t begin = *at;
    int rc = take_parts(l, *at, &rest);
    if (!rc && rest)
        rc = gather_segment(l->g, l->store, l->query, at, SEGMENT_SERIES, fit, take_row, l, l->result, e);
    for (; !rest && *at < l->g->count && l->g->list[*at].segment == l->g->list[begin].segment; ++*at)
        l->result->weight += l->g->list[*at].rolled ? 0 : l->g->list[*at].weight;
    return rc;
}

static int take_all(struct selection *l, struct error *e)
{
    int rc = gather_segments(l->g, l->store, take_segment, l, e);
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

int store_values(struct store *s, const struct store_query *q, int64_t step, const char *by, struct store_values *out,
                 struct store_result *r, struct error *e)
{
    struct gather g;
    struct selection l = {.out = out, .store = s, .g = &g, .query = q, .result = r, .step = step};
    *out = (struct store_values){0};
    map_init(&l.recordings);
    map_init(&l.series);
    map_init(&l.places);
    int rc = gather_init(&g, s, q, by, GATHER_EACH_ROW, r, e);
    rc = rc ? rc : take_all(&l, e);
    if (!rc && gather_copy_values(&g, &out->values, &out->value_count))
        rc = error_set(e, -ENOMEM, "out of memory");
    if (out->count)
        qsort(out->list, out->count, sizeof *out->list, compare);
    map_deinit(&l.recordings);
    map_deinit(&l.series);
    map_deinit(&l.places);
    gather_deinit(&g);
    return rc;
}

void store_values_deinit(struct store_values *v)
{
    gather_free_values(v->values, v->value_count);
    free(v->list);
    *v = (struct store_values){0};
}
