#include "format/page/page_tree.h"

#include "base/array.h"

#include <string.h>

int page_tree_init(struct page_tree *t)
{
    *t = (struct page_tree){0};
    if (strtab_init(&t->names) || ARRAY_GROW(t->nodes, t->cap, 0)) {
        page_tree_deinit(t);
        return -ENOMEM;
    }
    t->nodes[t->count++] = (struct page_node){.self_effect = 1, .total_effect = 1};
    return 0;
}

void page_tree_deinit(struct page_tree *t)
{
    strtab_deinit(&t->names);
    map_deinit(&t->children);
    free(t->nodes);
    *t = (struct page_tree){0};
}

static int child(struct page_tree *t, uint32_t parent, const struct profile *p, const struct calltree_node *n, uint32_t *id)
{
    bool added;
    uint32_t len = strtab_len(&p->strings, n->label);
    uint32_t name = strtab_add(&t->names, profile_text(p, n->label), len);
    if ((len && !name) || ARRAY_GROW(t->nodes, t->cap, t->count))
        return -ENOMEM;
    uint32_t *place = map_add(&t->children, (uint64_t)parent << 32 | name, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        t->nodes[t->count] = (struct page_node){
            .parent = parent,
            .name = name,
            .type = n->type,
            .self_effect = n->self_effect,
            .total_effect = n->total_effect,
        };
        *place = t->count++;
    }
    *id = *place;
    return 0;
}

int page_tree_add(struct page_tree *t, enum page_side side, const struct profile *p, const struct calltree *tree)
{
    uint32_t *place = calloc(tree->count, sizeof *place);
    int rc = place ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < tree->count; i++) {
        const struct calltree_node *n = &tree->nodes[i];
        rc = i ? child(t, place[n->parent], p, n, &place[i]) : 0;
        if (!rc)
            t->nodes[place[i]].self[side] += n->self;
    }
    t->total[side] = tree->nodes[0].total;
    free(place);
    return rc;
}

int page_tree_settle(struct page_tree *t)
{
    uint32_t *first = calloc(t->count + 2, sizeof *first); /* index in `list` of each node's first child */
    uint32_t *list = calloc(t->count, sizeof *list), *order = calloc(t->count, sizeof *order);
    struct page_node *nodes = calloc(t->count, sizeof *nodes);
    int rc = first && list && order && nodes ? 0 : -ENOMEM;
    if (!rc) {
        for (uint32_t i = 1; i < t->count; i++)
            first[t->nodes[i].parent + 2]++;
        for (uint32_t i = 2; i <= t->count; i++)
            first[i] += first[i - 1];
        for (uint32_t i = 1; i < t->count; i++)
            list[first[t->nodes[i].parent + 1]++] = i;
        nodes[0] = t->nodes[0];
        for (uint32_t at = 0, end = 1; at < t->count; at++)
            for (uint32_t k = first[order[at]]; k < first[order[at] + 1]; k++, end++) {
                order[end] = list[k];
                nodes[end] = t->nodes[list[k]];
                nodes[end].parent = at;
            }
        struct page_node *old = t->nodes;
        t->nodes = nodes;
        t->cap = t->count;
        nodes = old;
        map_deinit(&t->children); /* its node numbers are no longer valid */
    }
    free(first);
    free(list);
    free(order);
    free(nodes);
    return rc;
}
