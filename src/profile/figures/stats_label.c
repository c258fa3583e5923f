#include "profile/figures/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The number of rows whose intervals use the order of the samples, which makes them narrower. Each such row takes a pass over all
 * samples. The other rows have the interval of independent draws, which is never too narrow. */
enum { ROWS_WITH_EFFECT = 64 };

/* Returns the value of the key in each set of labels, as a string id; 0 = the set has none. NULL if out of memory. */
static uint32_t *values_of_sets(const struct profile *p, const char *key)
{
    uint32_t *values = calloc(p->label_count, sizeof *values);
    for (uint32_t i = 1; values && i < p->label_count; i++) {
        const struct profile_label *l = &p->labels[i];
        values[i] = strcmp(profile_text(p, l->key), key) ? values[l->parent] : l->value;
    }
    return values;
}

static int tally(struct stats_table *t, const struct profile *p, const uint32_t *values)
{
    struct map rows;
    int rc = 0;
    map_init(&rows);
    for (uint32_t i = 0; !rc && i < p->sample_count; i++)
        rc = stats_add_self(t, &rows, values[p->samples[i].labels], &p->samples[i]);
    map_deinit(&rows);
    return rc;
}

static void add_effect(struct stats_row *r, const struct successive_order *order, const uint32_t *values, bool *shows)
{
    const struct profile *p = order->profile;
    struct successive_whole whole = successive_whole(order);
    for (uint32_t i = 0; i < order->count; i++)
        shows[i] = values[p->samples[order->samples[i]].labels] == r->label;
    r->self.effect = successive_effect(successive_count_one(order, shows), r->self.samples, &whole);
}

static int add_effects(struct stats_table *t, const struct successive_order *order, const uint32_t *values)
{
    if (order->by == SUCCESSIVE_UNKNOWN)
        return 0;
    bool *shows = calloc((size_t)order->count + 1, sizeof *shows);
    if (!shows)
        return -ENOMEM;
    for (uint32_t i = 0; i < t->count && i < ROWS_WITH_EFFECT; i++)
        add_effect(&t->rows[i], order, values, shows);
    free(shows);
    return 0;
}

int stats_compute_label(struct stats *s, const struct successive_order *order, const char *key)
{
    const struct profile *p = order->profile;
    struct stats_table *t = &s->labels;
    uint32_t *values = values_of_sets(p, key);
    int rc = values ? tally(t, p, values) : -ENOMEM;
    stats_sort(t, p, STATS_BY_SELF);
    rc = rc ? rc : add_effects(t, order, values);
    free(values);
    stats_finish(t, s);
    if (rc)
        stats_deinit(s);
    return rc;
}
