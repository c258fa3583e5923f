/*
 * The coarse copy of a large page: it has all of the weight, the heaviest nodes with their totals, and a bounded number of slices.
 * tier: quick
 * timeout: 60
 */
#include "format/page/coarse.h"
#include "../tap.h"

#include <stdlib.h>

enum { NODES = 40000, SLICES = 600000, BUCKETS = 20, THREADS = 4, KEPT = 10000, SLICES_KEPT = 200000 };

static uint64_t draw(uint64_t limit)
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

/* Nodes level by level, as those of a page are. */
static struct page_node *make_nodes(void)
{
    struct page_node *nodes = calloc(NODES, sizeof *nodes);
    for (uint32_t i = 1; nodes && i < NODES; i++) {
        uint32_t next = nodes[i - 1].parent + (uint32_t)draw(3);
        nodes[i].parent = next < i ? next : i - 1;
    }
    return nodes;
}

/* Slices in the order of a page. Their weights become those of the nodes. */
static struct slice *make_slices(struct page_node *nodes)
{
    struct slice *list = calloc(SLICES, sizeof *list);
    for (uint32_t i = 0; list && i < SLICES; i++) {
        uint32_t row = (uint32_t)((uint64_t)i * BUCKETS * THREADS / SLICES);
        uint32_t node = (uint32_t)draw(draw(NODES - 1) + 1);
        list[i] = (struct slice){row / THREADS, row % THREADS, node, 0, 1 + draw(1000)};
        nodes[node].self[PAGE_AFTER] += list[i].weight;
    }
    return list;
}

static void add_totals(uint64_t *totals, const struct page_node *nodes, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        totals[i] += nodes[i].self[PAGE_AFTER];
        if (i)
            totals[nodes[i].parent] += totals[i];
    }
}

static int larger_first(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

static void test_nodes(const struct page_tree *tree, const struct coarse *c)
{
    static uint64_t all[NODES], few[NODES];
    bool ordered = true, heaviest = true;
    for (uint32_t i = 1; i < c->count; i++)
        ordered = ordered && c->nodes[i].parent < i && c->nodes[i].parent >= c->nodes[i - 1].parent;
    add_totals(all, tree->nodes, tree->count);
    add_totals(few, c->nodes, c->count);
    tap_ok(ordered && few[0] == all[0], "its nodes are ordered, and have all of the weight");
    qsort(all, tree->count, sizeof *all, larger_first);
    qsort(few, c->count, sizeof *few, larger_first);
    for (uint32_t i = 0; i < c->count; i++)
        heaviest = heaviest && few[i] == all[i];
    tap_ok(c->count == KEPT + 1 && heaviest, "they are the heaviest ones, with their totals");
}

static void test_slices(const struct slices *slices, const struct coarse *c)
{
    static uint64_t all[BUCKETS * THREADS], few[BUCKETS * THREADS];
    static uint64_t under[NODES], total[NODES];
    static uint32_t last[NODES]; /* the row of each node that was met last, plus 1 */
    bool once = true, same = true, within = true;
    for (uint32_t i = 0; i < slices->count; i++)
        all[slices->list[i].bucket * THREADS + slices->list[i].thread] += slices->list[i].weight;
    for (uint32_t i = 0; i < c->slice_count; i++) {
        const struct slice *s = &c->slices[i];
        uint32_t row = s->bucket * THREADS + s->thread;
        few[row] += s->weight;
        under[s->node] += s->weight;
        once = once && last[s->node] != row + 1 && (!i || s->bucket >= c->slices[i - 1].bucket);
        last[s->node] = row + 1;
    }
    for (uint32_t i = 0; i < BUCKETS * THREADS; i++)
        same = same && all[i] == few[i];
    add_totals(total, c->nodes, c->count);
    for (uint32_t i = c->count; i-- > 1;)
        under[c->nodes[i].parent] += under[i];
    for (uint32_t i = 0; i < c->count; i++)
        within = within && under[i] <= total[i];
    tap_ok(c->slice_count > 0 && c->slice_count <= SLICES_KEPT, "there are few slices: %u", c->slice_count);
    tap_ok(once, "in order, one for each node of a bucket and thread");
    tap_ok(same, "each bucket and thread has its weight");
    tap_ok(within && under[0] == total[0], "a slice is at its node or at a caller of it");
}

int main(void)
{
    struct page_tree tree = {.count = NODES, .nodes = make_nodes()};
    struct slices slices = {.count = SLICES, .list = tree.nodes ? make_slices(tree.nodes) : NULL};
    struct coarse c;
    if (tap_ok(tree.nodes && slices.list && !coarse_init(&c, &tree, &slices), "a coarse copy is made")) {
        tap_ok(coarse_is_needed(&tree, &slices), "of a page with many slices");
        test_nodes(&tree, &c);
        test_slices(&slices, &c);
        coarse_deinit(&c);
    }
    slices.count = 0;
    tap_ok(!coarse_is_needed(&tree, &slices), "a page with few nodes and slices needs none");
    if (tap_ok(!coarse_init(&c, &tree, &slices) && !c.slice_count && c.count == KEPT + 1, "a page without slices has such nodes, too"))
        coarse_deinit(&c);
    free(tree.nodes);
    free(slices.list);
    return tap_done();
}
