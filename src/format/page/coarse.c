/* Makes the coarse copy of a large page's data. It is separate from page_write, which writes the copy as it writes the original. */
#include "format/page/coarse.h"

#include "profile/prune.h"

#include <errno.h>
#include <stdlib.h>

enum {
    NODES_MANY = 300000, /* a page with as many nodes or slices takes too long to read before something is shown */
    SLICES_MANY = 500000,
    NODES_KEPT = 10000,
    SLICES_KEPT = 200000
};

/* What the steps share. Arrays have a row for each node of the page. */
struct work {
    const struct page_tree *tree;
    uint64_t *totals;
    bool *kept;
    uint32_t *place; /* of each node in the copy: its own, or that of its nearest kept ancestor */
};

bool coarse_is_needed(const struct page_tree *tree, const struct slices *slices)
{
    return tree->count >= NODES_MANY || slices->count >= SLICES_MANY;
}

static void weigh(struct work *w)
{
    const struct page_node *nodes = w->tree->nodes;
    for (uint32_t i = w->tree->count; i-- > 0;) {
        w->totals[i] += nodes[i].self[PAGE_AFTER] + nodes[i].self[PAGE_BEFORE];
        if (i)
            w->totals[nodes[i].parent] += w->totals[i];
    }
}

/* Makes nodes of the kept ones. The weight of the others moves to their nearest kept ancestors. */
static void copy_nodes(struct coarse *c, struct work *w)
{
    for (uint32_t i = 0; i < w->tree->count; i++) {
        const struct page_node *n = &w->tree->nodes[i];
        if (!i || w->kept[i]) {
            w->place[i] = c->count;
            c->nodes[c->count] = *n;
            c->nodes[c->count++].parent = w->place[n->parent];
        } else {
            struct page_node *caller = &c->nodes[w->place[i] = w->place[n->parent]];
            caller->self[PAGE_AFTER] += n->self[PAGE_AFTER];
            caller->self[PAGE_BEFORE] += n->self[PAGE_BEFORE];
        }
    }
}

/* Moves slices of all but the `keep` heaviest nodes to the ancestors of their nodes. */
static int place_heaviest(struct work *w, uint32_t keep)
{
    int64_t left_out = prune_choose(w->totals, w->tree->count, keep, w->kept);
    for (uint32_t i = 1; left_out >= 0 && i < w->tree->count; i++)
        if (!w->kept[i])
            w->place[i] = w->place[w->tree->nodes[i].parent];
    return left_out < 0 ? (int)left_out : 0;
}

static bool is_same_row(const struct slice *a, const struct slice *b)
{
    return a->bucket == b->bucket && a->thread == b->thread && a->state == b->state;
}

/* Copies the slices. Those with the same bucket, thread and state are neighbors; those of them that now have the same node become one.
 * last[node]: the row of that node that was written last, plus 1. Returns the number of rows; beyond `most` it only counts. */
static uint32_t copy_slices(struct slice *to, uint32_t most, const struct slices *from, const uint32_t *place, uint32_t *last)
{
    uint32_t count = 0, begin = 0; /* of the rows with the same bucket, thread and state */
    for (uint32_t i = 0; i < from->count; i++) {
        const struct slice *s = &from->list[i];
        uint32_t node = place[s->node];
        if (i && !is_same_row(s, s - 1))
            begin = count;
        if (last[node] <= begin) {
            if (count < most)
                to[count] = (struct slice){s->bucket, s->thread, node, s->state, 0};
            last[node] = ++count;
        }
        if (last[node] <= most)
            to[last[node] - 1].weight += s->weight;
    }
    return count;
}

/* Takes ever fewer nodes, until there are not too many slices. There may be more if there are very many threads. */
static int add_slices(struct coarse *c, struct work *w, const struct slices *slices)
{
    int rc = 0;
    c->slices = calloc(slices->count + 1, sizeof *c->slices);
    for (uint32_t keep = NODES_KEPT; c->slices && !rc; keep /= 2) {
        uint32_t *last = calloc(c->count, sizeof *last);
        rc = last ? place_heaviest(w, keep) : -ENOMEM;
        c->slice_count = rc ? 0 : copy_slices(c->slices, keep ? SLICES_KEPT : slices->count, slices, w->place, last);
        free(last);
        if (c->slice_count <= SLICES_KEPT || !keep)
            break;
    }
    return c->slices ? rc : -ENOMEM;
}

int coarse_init(struct coarse *c, const struct page_tree *tree, const struct slices *slices)
{
    struct work w = {
        .tree = tree,
        .totals = calloc(tree->count, sizeof *w.totals),
        .kept = calloc(tree->count, sizeof *w.kept),
        .place = calloc(tree->count, sizeof *w.place),
    };
    *c = (struct coarse){.nodes = calloc(NODES_KEPT + 1, sizeof *c->nodes)};
    int rc = w.totals && w.kept && w.place && c->nodes ? 0 : -ENOMEM;
    if (!rc) {
        weigh(&w);
        int64_t left_out = prune_choose(w.totals, tree->count, NODES_KEPT, w.kept);
        rc = left_out < 0 ? (int)left_out : 0;
    }
    if (!rc)
        copy_nodes(c, &w);
    rc = rc || !slices->count ? rc : add_slices(c, &w, slices);
    free(w.totals);
    free(w.kept);
    free(w.place);
    if (rc)
        coarse_deinit(c);
    return rc;
}

void coarse_deinit(struct coarse *c)
{
    free(c->nodes);
    free(c->slices);
    *c = (struct coarse){0};
}
