#include "profile/calltree.h"

#include "base/array.h"
#include "profile/successive.h"

#include <string.h>

/* By thread, a small file can ask for a huge tree: each of its threads with each of its stacks. A real one has well below
 * a million nodes. */
enum { NODES_MAX = 4 << 20 };

/* A node while samples come in, in order of arrival. */
struct draft {
    uint32_t parent;
    uint32_t label;
    uint32_t depth;
    uint32_t place; /* in the finished tree */
    uint64_t self;
    uint32_t self_samples;
    uint64_t by_type[PROFILE_TYPES]; /* self weight at first, then total */
};

struct builder {
    const struct profile *p;
    struct draft *drafts;
    uint32_t count, cap;
    struct map children; /* (parent, label) -> draft */
    struct map paths;    /* (top, trie node) -> draft; top is the draft that the stack stands on */
    uint32_t path[PROFILE_DEPTH_MAX + 1];
};

static int child_of(struct builder *b, uint32_t parent, uint32_t label, uint32_t *id)
{
    bool added;
    if (b->count == NODES_MAX)
        return -EFBIG;
    if (ARRAY_GROW(b->drafts, b->cap, b->count))
        return -ENOMEM;
    uint32_t *place = map_add(&b->children, (uint64_t)parent << 32 | label, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        b->drafts[b->count] = (struct draft){.parent = parent, .label = label, .depth = b->drafts[parent].depth + 1};
        *place = b->count++;
    }
    *id = *place;
    return 0;
}

/* The draft of a stack: climbs to the nearest trie node that is known, then comes down again. */
static int draft_of(struct builder *b, uint32_t top, uint32_t stack, uint32_t *id)
{
    uint32_t depth = 0;
    *id = top;
    for (uint32_t node = stack; node; node = b->p->nodes[node].parent) {
        const uint32_t *known = map_find(&b->paths, (uint64_t)top << 32 | node);
        if (known) {
            *id = *known;
            break;
        }
        b->path[depth++] = node;
    }
    while (depth--) {
        bool added;
        uint32_t node = b->path[depth];
        uint32_t label = b->p->frames[b->p->nodes[node].frame].label;
        int rc = child_of(b, *id, label, id);
        if (rc)
            return rc;
        uint32_t *place = map_add(&b->paths, (uint64_t)top << 32 | node, &added);
        if (!place)
            return -ENOMEM;
        *place = *id;
    }
    return 0;
}

/* All samples with one stack under one top. */
struct load {
    uint32_t top;
    uint32_t stack;
    uint64_t weight;
    uint32_t samples;
};

struct loads {
    struct load *list;
    uint32_t count, cap;
    struct map places; /* (top, stack) -> place in the list */
};

static int gather(struct builder *b, struct loads *l, bool by_thread)
{
    for (uint32_t i = 0; i < b->p->sample_count; i++) {
        const struct profile_sample *s = &b->p->samples[i];
        uint32_t top = 0;
        bool added;
        if (ARRAY_GROW(l->list, l->cap, l->count))
            return -ENOMEM;
        int rc = by_thread ? child_of(b, 0, b->p->threads[s->thread].name, &top) : 0;
        uint32_t *place = rc ? NULL : map_add(&l->places, (uint64_t)top << 32 | s->stack, &added);
        if (!place)
            return rc ? rc : -ENOMEM;
        if (added) {
            l->list[l->count] = (struct load){.top = top, .stack = s->stack};
            *place = l->count++;
        }
        l->list[*place].weight += s->weight;
        l->list[*place].samples++;
    }
    return 0;
}

/* Each frame of the stack gives its weight to its own draft, and the thread's draft, if any, gets it too. */
static int add_load(struct builder *b, const struct load *l)
{
    uint32_t draft;
    int rc = draft_of(b, l->top, l->stack, &draft);
    if (rc)
        return rc;
    b->drafts[draft].self += l->weight;
    b->drafts[draft].self_samples += l->samples;
    for (uint32_t node = l->stack; node; node = b->p->nodes[node].parent) {
        b->drafts[draft].by_type[b->p->frames[b->p->nodes[node].frame].type] += l->weight;
        draft = b->drafts[draft].parent;
    }
    if (l->top)
        b->drafts[l->top].by_type[PROFILE_TYPE_OTHER] += l->weight;
    return 0;
}

static int draft_all(struct builder *b, bool by_thread)
{
    struct loads loads = {0};
    int rc = ARRAY_GROW(b->drafts, b->cap, 0);
    if (!rc) {
        b->drafts[b->count++] = (struct draft){.by_type[PROFILE_TYPE_OTHER] = b->p->weight};
        rc = gather(b, &loads, by_thread);
    }
    for (uint32_t i = 0; !rc && i < loads.count; i++)
        rc = add_load(b, &loads.list[i]);
    free(loads.list);
    map_deinit(&loads.places);
    return rc;
}

static uint64_t draft_total(const struct draft *d, uint8_t *type)
{
    uint64_t total = 0;
    *type = 0;
    for (uint8_t i = 0; i < PROFILE_TYPES; i++) {
        total += d->by_type[i];
        if (d->by_type[i] > d->by_type[*type])
            *type = i;
    }
    return total;
}

static int by_depth(const void *left, const void *right, void *context)
{
    const struct draft *drafts = context;
    const struct draft *a = &drafts[*(const uint32_t *)left], *b = &drafts[*(const uint32_t *)right];
    return (a->depth > b->depth) - (a->depth < b->depth);
}

/* Among drafts of one depth, whose parents have their places. */
static int by_place(const void *left, const void *right, void *context)
{
    const struct builder *builder = context;
    const struct draft *a = &builder->drafts[*(const uint32_t *)left], *b = &builder->drafts[*(const uint32_t *)right];
    uint32_t pa = builder->drafts[a->parent].place, pb = builder->drafts[b->parent].place;
    if (pa != pb)
        return pa < pb ? -1 : 1;
    uint8_t type;
    uint64_t ta = draft_total(a, &type), tb = draft_total(b, &type);
    if (ta != tb)
        return ta > tb ? -1 : 1;
    return strcmp(profile_text(builder->p, a->label), profile_text(builder->p, b->label));
}

/* Puts the drafts in their final order, level by level. */
static int settle(struct calltree *t, struct builder *b)
{
    uint32_t *order = malloc(b->count * sizeof *order);
    t->nodes = calloc(b->count, sizeof *t->nodes);
    t->count = b->count;
    if (!order || !t->nodes) {
        free(order);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < b->count; i++)
        order[i] = i;
    qsort_r(order, b->count, sizeof *order, by_depth, b->drafts);
    for (uint32_t begin = 0, end; begin < b->count; begin = end) {
        for (end = begin; end < b->count && b->drafts[order[end]].depth == b->drafts[order[begin]].depth;)
            end++;
        qsort_r(order + begin, end - begin, sizeof *order, by_place, b);
        for (uint32_t i = begin; i < end; i++)
            b->drafts[order[i]].place = i;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        const struct draft *d = &b->drafts[order[i]];
        struct calltree_node *n = &t->nodes[i];
        n->parent = b->drafts[d->parent].place;
        n->label = d->label;
        n->self = d->self;
        n->self_samples = n->total_samples = d->self_samples;
        n->self_effect = n->total_effect = 1;
        n->total = draft_total(d, &n->type);
        struct calltree_node *parent = &t->nodes[n->parent];
        if (i && !parent->child_count++)
            parent->first = i;
    }
    for (uint32_t i = b->count - 1; i > 0; i--)
        t->nodes[t->nodes[i].parent].total_samples += t->nodes[i].total_samples;
    free(order);
    return 0;
}

static int note_places(struct calltree *t, const struct builder *b)
{
    t->of_stack = calloc(b->p->node_count, sizeof *t->of_stack);
    if (!t->of_stack)
        return -ENOMEM;
    for (uint32_t node = 1; node < b->p->node_count; node++) {
        const uint32_t *draft = map_find(&b->paths, node); /* below top 0 */
        t->of_stack[node] = draft ? b->drafts[*draft].place : 0;
    }
    return 0;
}

int calltree_build(struct calltree *t, const struct profile *p, bool by_thread)
{
    *t = (struct calltree){0};
    struct builder *b = calloc(1, sizeof *b);
    if (!b)
        return -ENOMEM;
    b->p = p;
    int rc = draft_all(b, by_thread);
    if (!rc)
        rc = settle(t, b);
    if (!rc && !by_thread)
        rc = note_places(t, b);
    if (rc)
        calltree_deinit(t);
    map_deinit(&b->children);
    map_deinit(&b->paths);
    free(b->drafts);
    free(b);
    return rc;
}

int calltree_add_effects(struct calltree *t, const struct profile *p)
{
    if (!t->of_stack)
        return 0;
    struct successive_order order;
    struct successive_pair *pairs = calloc(t->count, sizeof *pairs); /* of node i at i - 1 */
    int rc = successive_order_init(&order, p) || !pairs ? -ENOMEM : successive_count(&order, t->of_stack, pairs, t->count);
    struct successive_whole whole = successive_whole(&order);
    for (uint32_t i = 1; !rc && i < t->count; i++) {
        struct calltree_node *n = &t->nodes[i];
        n->self_effect = successive_effect(pairs[i - 1].self, n->self_samples, &whole);
        n->total_effect = successive_effect(pairs[i - 1].total, n->total_samples, &whole);
    }
    successive_order_deinit(&order);
    free(pairs);
    return rc;
}

void calltree_deinit(struct calltree *t)
{
    free(t->nodes);
    free(t->of_stack);
    *t = (struct calltree){0};
}
