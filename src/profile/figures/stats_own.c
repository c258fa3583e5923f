/* The program's own code: for each sample the innermost method that belongs neither to the JDK nor to a known library. For the method's
 * author the functions that it called are details, so their time belongs to the method. Separate from stats.c because a row is not one
 * frame, but stands for everything above a frame. */
#include "base/array.h"
#include "profile/figures/stats.h"
#include "profile/owner.h"

#include <errno.h>
#include <stdlib.h>

/* Adds up the samples by own method, and sets row_of[node] to the node's row plus 1. */
static int tally(struct stats_table *t, const struct profile *p, const uint32_t *own, uint32_t *row_of)
{
    struct map rows;
    int rc = 0;
    map_init(&rows);
    for (uint32_t i = 0; !rc && i < p->sample_count; i++)
        rc = stats_add_self(t, &rows, own[p->samples[i].stack], &p->samples[i]);
    for (uint32_t i = 1; !rc && i < p->node_count; i++) {
        const uint32_t *row = map_find(&rows, own[i]);
        row_of[i] = row ? *row + 1 : 0;
    }
    map_deinit(&rows);
    return rc;
}

static int add_effects(struct stats_table *t, const struct successive_order *order, const uint32_t *row_of)
{
    if (order->by == SUCCESSIVE_UNKNOWN)
        return 0;
    struct successive_whole whole = successive_whole(order);
    struct successive_pair *pairs = calloc((size_t)t->count + 1, sizeof *pairs);
    int rc = pairs ? successive_count(order, row_of, pairs, t->count) : -ENOMEM;
    for (uint32_t i = 0; !rc && i < t->count; i++)
        t->rows[i].self.effect = successive_effect(pairs[i].self, t->rows[i].self.samples, &whole);
    free(pairs);
    return rc;
}

static int compare_pairs(const void *left, const void *right)
{
    const struct stats_own_pair *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return a->own != b->own ? (a->own > b->own) - (a->own < b->own) : (a->leaf > b->leaf) - (a->leaf < b->leaf);
}

/* Adds up the samples by own method and innermost method. Samples without own code have no pair. */
static int pair_up(struct stats *s, const struct profile *p, const uint32_t *own)
{
    struct map places;
    int rc = 0;
    map_init(&places);
    for (uint32_t i = 0; !rc && i < p->sample_count; i++) {
        uint32_t stack = p->samples[i].stack, leaf = stack ? p->frames[p->nodes[stack].frame].label : 0;
        bool added;
        if (!own[stack])
            continue;
        uint32_t *place = map_add(&places, (uint64_t)own[stack] << 32 | leaf, &added);
        if (!place || ARRAY_GROW(s->own_pairs, s->own_pair_cap, s->own_pair_count)) {
            rc = -ENOMEM;
            break;
        }
        if (added) {
            s->own_pairs[s->own_pair_count] = (struct stats_own_pair){.own = own[stack], .leaf = leaf};
            *place = s->own_pair_count++;
        }
        s->own_pairs[*place].weight += p->samples[i].weight;
    }
    map_deinit(&places);
    if (s->own_pair_count)
        qsort(s->own_pairs, s->own_pair_count, sizeof *s->own_pairs, compare_pairs);
    return rc;
}

int stats_compute_own(struct stats *s, const struct successive_order *order)
{
    const struct profile *p = order->profile;
    uint32_t *own = owner_own_labels(p), *row_of = calloc(p->node_count, sizeof *row_of);
    int rc = own && row_of ? tally(&s->own, p, own, row_of) : -ENOMEM;
    rc = rc ? rc : add_effects(&s->own, order, row_of);
    rc = rc ? rc : pair_up(s, p, own);
    free(own);
    free(row_of);
    stats_finish(&s->own, s);
    stats_sort(&s->own, p, STATS_BY_SELF);
    if (rc)
        stats_deinit(s);
    return rc;
}

const struct stats_own_pair *stats_own_callee(const struct stats *s, uint32_t own)
{
    for (uint32_t i = 0; i < s->own_pair_count; i++)
        if (s->own_pairs[i].own == own)
            return &s->own_pairs[i];
    return NULL;
}

const struct stats_own_pair *stats_own_caller(const struct stats *s, uint32_t leaf)
{
    for (uint32_t i = 0; i < s->own_pair_count; i++)
        if (s->own_pairs[i].leaf == leaf)
            return &s->own_pairs[i];
    return NULL;
}
