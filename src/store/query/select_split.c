/* Splits the rows of segments by a label and by time, and adds up each part by stack. */
#include "store/query/gather.h"
#include "store/query/gather_rollups.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct split_sum {
    uint32_t unit; /* value * steps + step */
    struct store_split_sum sum;
};

struct split {
    const struct store_query *query;
    const struct store_split *of;
    uint32_t steps;
    struct map places; /* (unit, stack) -> place in `list` */
    struct split_sum *list;
    uint32_t count, cap;
    struct store *store;
    const struct gather *g;
    struct store_result *result;
};

static int take_row(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row,
                    const double *squares)
{
    struct split *l = context;
    const struct store_query *q = l->query;
    bool added;
    uint32_t step = (uint32_t)((segment->first + row->second - q->from) * l->steps / (q->to - q->from)), unit = of->by * l->steps + step;
    uint32_t *place = ARRAY_GROW(l->list, l->cap, l->count) ? NULL : map_add(&l->places, (uint64_t)unit << 32 | row->stack, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        l->list[l->count] = (struct split_sum){.unit = unit, .sum.stack = row->stack};
        *place = l->count++;
    }
    struct store_split_sum *sum = &l->list[*place].sum;
    sum->weight += row->weight;
    sum->count += row->count;
    sum->squares += gather_squares(row, squares);
    return 0;
}

static int by_unit(const void *left, const void *right)
{
    const struct split_sum *a = left, *b = right;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return (a->sum.stack > b->sum.stack) - (a->sum.stack < b->sum.stack);
}

/* Lets the dictionary be read during the call only. It stays locked no longer than that, because whoever seals a part waits for it. */
static int visit(const struct split *l, struct dictionary *d, const struct store_split_part *part)
{
    pthread_mutex_lock(&d->lock);
    int rc = l->of->visit(l->of->context, part);
    pthread_mutex_unlock(&d->lock);
    return rc;
}

/* Passes the sums of a dictionary on, unit by unit. */
static int pass(struct split *l, uint32_t id, struct dictionary *d, struct error *e)
{
    int rc = 0;
    struct store_split_sum *sums = calloc((size_t)l->count + 1, sizeof *sums);
    if (!sums)
        return -ENOMEM;
    if (l->count)
        qsort(l->list, l->count, sizeof *l->list, by_unit);
    for (uint32_t i = 0; i < l->count; i++)
        sums[i] = l->list[i].sum;
    for (uint32_t begin = 0, end; !rc && begin < l->count; begin = end) {
        for (end = begin; end < l->count && l->list[end].unit == l->list[begin].unit;)
            end++;
        uint32_t unit = l->list[begin].unit;
        const struct store_split_part part = {.value = strtab_text(&l->g->values, unit / l->steps),
                                              .step = unit % l->steps,
                                              .dictionary = id,
                                              .names = &d->names,
                                              .sums = sums + begin,
                                              .count = end - begin};
        rc = store_is_over(l->store, l->query, e);
        rc = rc ? rc : visit(l, d, &part);
    }
    free(sums);
    return rc;
}

static int take_dictionary(void *context, uint32_t *at, struct dictionary *d, const struct gather_fit *fit, struct error *e)
{
    struct split *l = context;
    const struct gather *g = l->g;
    uint32_t id = g->list[*at].dictionary;
    int rc = 0;
    l->count = 0;
    map_clear(&l->places);
    while (!rc && *at < g->count && g->list[*at].dictionary == id)
        rc = gather_segment(g, l->store, l->query, at, SEGMENT_ALL, fit, take_row, l, l->result, e);
    return rc ? rc : pass(l, id, d, e);
}

/* Counts the values that the gathered recordings have of the first label to split by. The gather's own values are those of all label sets
 * in the store, at any time, and of all labels together. */
static int count_values(const struct gather *g, uint32_t *count)
{
    struct strtab values;
    bool none = false;
    int rc = strtab_init(&values);
    for (uint32_t i = 0; !rc && i < g->count; i++) {
        const char *value = strtab_text(&g->values, g->list[i].by);
        size_t len = strcspn(value, (char[]){STORE_BY_SEPARATOR, 0});
        none |= !len;
        rc = len && !strtab_add(&values, value, len) ? -ENOMEM : 0;
    }
    *count = rc ? 0 : values.count - 1 + none;
    strtab_deinit(&values);
    return rc;
}

/* Adds up the time that the recordings cover within the query's. A recording of several days has several entries. */
static int sum_seconds(const struct gather *g, const struct store_query *q, uint64_t *seconds)
{
    struct map seen;
    int rc = 0;
    *seconds = 0;
    map_init(&seen);
    for (uint32_t i = 0; !rc && i < g->count; i++) {
        const struct gathered *one = &g->list[i];
        if (one->rolled)
            continue;
        int64_t from = one->begun > q->from ? one->begun : q->from, to = one->ended < q->to ? one->ended : q->to;
        bool added;
        rc = map_add(&seen, one->recording, &added) ? 0 : -ENOMEM;
        *seconds += !rc && added && to > from ? (uint64_t)(to - from) : 0;
    }
    rc = rc ? rc : gather_seconds_of_pieces(g, q, &seen, seconds);
    map_deinit(&seen);
    return rc;
}

int store_split(struct store *s, const struct store_query *q, struct store_split *of, struct store_result *r, struct error *e)
{
    struct gather g;
    struct split l = {.query = q, .of = of, .store = s, .g = &g, .result = r};
    uint32_t values = 0;
    int rc = gather_init(&g, s, q, of->by, GATHER_ANY_TIME, r, e);
    map_init(&l.places);
    rc = rc ? rc : count_values(&g, &values);
    l.steps = values < of->few ? of->steps : 1;
    if (!rc && l.steps > 1 && g.rolled)
        rc = gather_again(&g, q, of->by, GATHER_EACH_ROW, r, e);
    rc = rc ? rc : sum_seconds(&g, q, &of->seconds);
    rc = rc ? rc : gather_dictionaries(&g, s, take_dictionary, &l, e);
    if (rc == -ENOMEM)
        error_set(e, rc, "out of memory");
    map_deinit(&l.places);
    free(l.list);
    gather_deinit(&g);
    return rc;
}
