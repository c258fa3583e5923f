/* Sums up the rows of segments by type and labels, and lists labels of samples. */
#include "store/query/label_sums.h"

#include "store/query/gather.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SUM_MAX ((uint64_t)1 << 62)

struct summing {
    struct store *store;
    const struct store_query *q;
    const struct gather *g;
    struct store_label_sums *out;
    struct store_result *result;
    struct map places; /* (type, value) -> place in the list */
    bool add_up;       /* there are many rows: the sums of segments are used where they suffice */
};

static int add(struct summing *t, const struct gathered *of, uint64_t weight, uint32_t count, double squares)
{
    struct store_label_sums *out = t->out;
    bool added;
    uint32_t *place = map_add(&t->places, (uint64_t)of->type << 32 | of->by, &added);
    if (!place || ARRAY_GROW(out->list, out->cap, out->count))
        return -ENOMEM;
    if (added) {
        out->list[out->count] = (struct store_label_sum){.type = of->type, .value = of->by};
        *place = out->count++;
    }
    struct store_label_sum *sum = &out->list[*place];
    if (weight >= SUM_MAX - sum->weight)
        return -ERANGE;
    sum->weight += weight;
    sum->samples += count;
    sum->squares += squares;
    return 0;
}

static int take_row(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row,
                    const double *squares)
{
    (void)segment;
    return add(context, of, row->weight, row->count, gather_squares(row, squares));
}

static int take_sums(void *context, const struct gathered *of, const struct segment *segment)
{
    struct summing *t = context;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < segment->sum_count; i++) {
        rc = add(t, of, segment->sums[i].weight, segment->sums[i].count, segment->sums[i].squares);
        t->result->weight += segment->sums[i].weight;
    }
    return rc;
}

/* Whether all entries of the segment have the same labels, so that its sums may be used. */
static bool may_sum(const struct summing *t, uint32_t at)
{
    const struct gathered *list = t->g->list;
    for (uint32_t i = at; i < t->g->count && list[i].segment == list[at].segment; i++)
        if (list[i].by != list[at].by)
            return false;
    return t->add_up && !t->g->store->rows->sum; /* which have no squares of single rows */
}

static int take_dictionary(void *context, uint32_t *at, struct dictionary *d, const struct gather_fit *fit, struct error *e)
{
    static const unsigned columns = SEGMENT_SERIES | 1 << SEGMENT_COUNT;
    struct summing *t = context;
    uint32_t id = t->g->list[*at].dictionary;
    int rc = 0;
    (void)d;
    while (!rc && *at < t->g->count && t->g->list[*at].dictionary == id) {
        bool done = false;
        rc = may_sum(t, *at) ? gather_sums(t->g, t->store, t->q, at, GATHER_STACKS, fit, take_sums, t, t->result, &done, e) : 0;
        if (!rc && !done)
            rc = gather_segment(t->g, t->store, t->q, at, columns, fit, take_row, t, t->result, e);
    }
    return rc;
}

int store_label_sums(struct store *s, const struct store_query *q, const char *by, struct store_label_sums *out, struct store_result *r,
                     struct error *e)
{
    struct gather g;
    struct store_query all = *q;
    struct summing t = {.store = s, .q = &all, .g = &g, .out = out, .result = r};
    *out = (struct store_label_sums){0};
    all.type = q->type ? q->type : "";
    map_init(&t.places);
    int rc = gather_init(&g, s, &all, by, GATHER_ANY_TIME, r, e);
    t.add_up = g.rows > (s->options.single_rows ? s->options.single_rows : STORE_ROWS_MAX);
    rc = rc ? rc : gather_dictionaries(&g, s, take_dictionary, &t, e);
    if (!rc) { /* places stay the same */
        out->types = g.types;
        out->values = g.values;
        g.types = g.values = (struct strtab){0};
    }
    map_deinit(&t.places);
    gather_deinit(&g);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc == -ERANGE ? error_set(e, rc, "more than can be added up") : rc;
}

void store_label_sums_deinit(struct store_label_sums *sums)
{
    strtab_deinit(&sums->types);
    strtab_deinit(&sums->values);
    free(sums->list);
    *sums = (struct store_label_sums){0};
}

/* ---- labels ---- */

struct listing {
    const struct gather *g;
    store_visit_label *visit;
    void *context;
};

static int list_dictionary(void *context, uint32_t *at, struct dictionary *d, const struct gather_fit *fit, struct error *e)
{
    struct listing *l = context;
    uint32_t id = l->g->list[*at].dictionary;
    int rc = 0;
    (void)fit;
    (void)e;
    while (*at < l->g->count && l->g->list[*at].dictionary == id)
        ++*at;
    pthread_mutex_lock(&d->lock);
    const struct profile *names = &d->names;
    for (uint32_t i = 1; !rc && i < names->label_count; i++)
        rc = l->visit(l->context, profile_text(names, names->labels[i].key), profile_text(names, names->labels[i].value));
    pthread_mutex_unlock(&d->lock);
    return rc;
}

int store_sample_labels(struct store *s, const struct store_query *q, store_visit_label *visit, void *context, struct error *e)
{
    struct gather g;
    struct store_result r;
    struct store_query all = *q;
    struct listing l = {&g, visit, context};
    all.type = "";
    int rc = gather_init(&g, s, &all, NULL, GATHER_EACH_ROW, &r, e);
    rc = rc ? rc : gather_dictionaries(&g, s, list_dictionary, &l, e);
    gather_deinit(&g);
    store_result_deinit(&r);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}
