#include "profile/figures/calltree.h"

#include "base/array.h"

#include <string.h>

/* Limits the tree. By thread, a small file can cause a huge tree, because each thread may have each stack. A real tree has far fewer
 * than a million nodes. */
enum { NODES_MAX = 4 << 20 };

/* A node of the unfinished tree. The nodes are in order of arrival. */
struct draft {
    uint32_t parent;
    uint32_t label;
    uint32_t place; /* in the finished tree */
    uint32_t paths; /* list of the paths that lead to it, 0 = end; path 0 is the root's only path */
    uint32_t self_samples;
    uint8_t type;
    uint64_t self, total;
};

/* A stack of the profile below one top, that is, below the root or a thread. Several paths may lead to one draft. A parent has a smaller
 * number than its children. */
struct path {
    uint32_t parent, draft, next;
    uint8_t type;
    uint64_t weight; /* at first the weight of samples that end here; later including all paths below */
};

struct builder {
    const struct profile *p;
    struct draft *drafts;
    uint32_t count, cap;
    struct path *paths;
    uint32_t path_count, path_cap;
    struct map children;  /* (parent, label) -> draft, for drafts that are not right after their parents */
    uint32_t *plain;      /* trie node -> path, 0 = none; for stacks that are not below a thread */
    struct map below_top; /* (top, trie node) -> path; top is the path of a thread */
    uint32_t climbed[PROFILE_DEPTH_MAX + 1];
};

static int child_of(struct builder *b, uint32_t parent, uint32_t label, uint32_t *id)
{
    bool added = true;
    uint32_t next = parent + 1; /* most drafts have one child, which was added right after them; the map has the others */
    if (b->count == NODES_MAX)
        return -EFBIG;
    if (ARRAY_GROW(b->drafts, b->cap, b->count))
        return -ENOMEM;
    if (next < b->count && b->drafts[next].parent == parent && b->drafts[next].label == label) {
        *id = next;
        return 0;
    }
    *id = b->count;
    uint32_t *place = next < b->count ? map_add(&b->children, (uint64_t)parent << 32 | label, &added) : id;
    if (!place)
        return -ENOMEM;
    if (added) {
        b->drafts[b->count] = (struct draft){.parent = parent, .label = label};
        *place = b->count++;
    }
    *id = *place;
    return 0;
}

/* Adds a path that is one frame longer than its parent. */
static int add_path(struct builder *b, uint32_t parent, uint32_t label, uint8_t type, uint32_t *id)
{
    uint32_t draft;
    if (ARRAY_GROW(b->paths, b->path_cap, b->path_count))
        return -ENOMEM;
    int rc = child_of(b, b->paths[parent].draft, label, &draft);
    if (rc)
        return rc;
    *id = b->path_count++;
    b->paths[*id] = (struct path){.parent = parent, .draft = draft, .next = b->drafts[draft].paths, .type = type};
    b->drafts[draft].paths = *id;
    return 0;
}

/* Returns the place of the path for a trie node. Its value is 0 if there is no path yet. NULL if out of memory. */
static uint32_t *path_place(struct builder *b, uint32_t top, uint32_t node)
{
    bool added;
    return top ? map_add(&b->below_top, (uint64_t)top << 32 | node, &added) : &b->plain[node];
}

/* Finds or adds the path of a stack. It goes towards the root to the nearest trie node with a path, and then adds the paths back to the
 * leaf. */
static int path_of(struct builder *b, uint32_t top, uint32_t stack, uint32_t *id)
{
    const struct profile *p = b->p;
    uint32_t depth = 0;
    *id = top;
    for (uint32_t node = stack; node; node = p->nodes[node].parent) {
        const uint32_t *known = path_place(b, top, node);
        if (!known)
            return -ENOMEM;
        if (*known) {
            *id = *known;
            break;
        }
        b->climbed[depth++] = node;
    }
    while (depth--) {
        uint32_t node = b->climbed[depth];
        const struct profile_frame *f = &p->frames[p->nodes[node].frame];
        int rc = add_path(b, *id, f->label, f->type, id);
        uint32_t *place = rc ? NULL : path_place(b, top, node);
        if (!place)
            return rc ? rc : -ENOMEM;
        *place = *id;
    }
    return 0;
}

static int add_sample(struct builder *b, const struct profile_sample *s, uint32_t top)
{
    uint32_t path;
    int rc = path_of(b, top, s->stack, &path);
    if (rc)
        return rc;
    struct draft *d = &b->drafts[b->paths[path].draft];
    b->paths[path].weight += s->weight;
    d->self += s->weight;
    d->self_samples += s->count;
    return 0;
}

/* Finds or adds the top for a thread. Threads with the same name share one top. */
static int top_of(struct builder *b, struct map *tops, uint32_t name, uint32_t *top)
{
    bool added;
    uint32_t *place = map_add(tops, name, &added);
    if (!place)
        return -ENOMEM;
    int rc = added ? add_path(b, 0, name, PROFILE_TYPE_OTHER, place) : 0;
    *top = *place;
    return rc;
}

static int draft_all(struct builder *b, bool by_thread)
{
    const struct profile *p = b->p;
    struct map tops;
    uint32_t top = 0;
    map_init(&tops);
    b->plain = calloc(p->node_count, sizeof *b->plain);
    if (!b->plain || ARRAY_GROW(b->drafts, b->cap, 0) || ARRAY_GROW(b->paths, b->path_cap, 0))
        return -ENOMEM;
    b->drafts[b->count++] = (struct draft){0};
    b->paths[b->path_count++] = (struct path){.type = PROFILE_TYPE_OTHER};
    int rc = 0;
    for (uint32_t i = 0; !rc && i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        rc = by_thread ? top_of(b, &tops, p->threads[s->thread].name, &top) : 0;
        rc = rc ? rc : add_sample(b, s, top);
    }
    map_deinit(&tops);
    return rc;
}

/* Adds up the weight of a draft's paths, and finds the frame type with most of it. Most drafts have one path. */
static void weigh_draft(struct builder *b, struct draft *d)
{
    const struct path *first = &b->paths[d->paths];
    if (!first->next) {
        d->total = first->weight;
        d->type = first->weight ? first->type : 0;
        return;
    }
    uint64_t by_type[PROFILE_TYPES] = {0};
    uint32_t path = d->paths;
    do {
        by_type[b->paths[path].type] += b->paths[path].weight;
        d->total += b->paths[path].weight;
        path = b->paths[path].next;
    } while (path);
    for (uint8_t i = 0; i < PROFILE_TYPES; i++)
        if (by_type[i] > by_type[d->type])
            d->type = i;
}

static void weigh(struct builder *b)
{
    for (uint32_t i = b->path_count - 1; i > 0; i--)
        b->paths[b->paths[i].parent].weight += b->paths[i].weight;
    for (uint32_t i = 0; i < b->count; i++)
        weigh_draft(b, &b->drafts[i]);
}

/* Compares two children of one parent. */
static int by_weight(const void *left, const void *right, void *context)
{
    const struct builder *b = context;
    const struct draft *l = &b->drafts[*(const uint32_t *)left], *r = &b->drafts[*(const uint32_t *)right];
    if (l->total != r->total)
        return l->total > r->total ? -1 : 1;
    return strcmp(profile_text(b->p, l->label), profile_text(b->p, r->label));
}

/* Groups the drafts by their parents, in order of arrival. The children of parent i are at children[first[i] .. first[i + 1]). */
static void group_by_parent(const struct builder *b, uint32_t *first, uint32_t *children)
{
    for (uint32_t i = 1; i < b->count; i++)
        first[b->drafts[i].parent]++;
    for (uint32_t i = 1; i <= b->count; i++)
        first[i] += first[i - 1];
    for (uint32_t i = b->count - 1; i > 0; i--)
        children[--first[b->drafts[i].parent]] = i;
}

static void put_node(struct calltree *t, struct builder *b, uint32_t draft, uint32_t place)
{
    struct draft *d = &b->drafts[draft];
    struct calltree_node *n = &t->nodes[place];
    d->place = place;
    *n = (struct calltree_node){.parent = b->drafts[d->parent].place,
                                .label = d->label,
                                .type = d->type,
                                .self = d->self,
                                .total = d->total,
                                .self_samples = d->self_samples,
                                .total_samples = d->self_samples,
                                .self_effect = 1,
                                .total_effect = 1};
}

/* Puts the drafts in their final order, level by level: the children of each node come after everything that is already placed. */
static int settle(struct calltree *t, struct builder *b)
{
    uint32_t *first = calloc((size_t)b->count + 1, sizeof *first), *children = malloc(b->count * sizeof *children);
    uint32_t *order = malloc(b->count * sizeof *order);
    t->nodes = calloc(b->count, sizeof *t->nodes);
    if (first && children && order && t->nodes) {
        group_by_parent(b, first, children);
        order[t->count++] = 0;
        put_node(t, b, 0, 0);
        for (uint32_t i = 0; i < t->count; i++) {
            uint32_t *own = children + first[order[i]], n = first[order[i] + 1] - first[order[i]];
            if (n > 1)
                qsort_r(own, n, sizeof *own, by_weight, b);
            t->nodes[i].first = n ? t->count : 0;
            t->nodes[i].child_count = n;
            for (uint32_t k = 0; k < n; k++, t->count++) {
                order[t->count] = own[k];
                put_node(t, b, own[k], t->count);
            }
        }
        for (uint32_t i = t->count - 1; i > 0; i--)
            t->nodes[t->nodes[i].parent].total_samples += t->nodes[i].total_samples;
    }
    free(first);
    free(children);
    free(order);
    return t->count ? 0 : -ENOMEM;
}

/* Converts the builder's table of paths to the tree's table of places. */
static void take_places(struct calltree *t, struct builder *b)
{
    t->of_stack = b->plain;
    b->plain = NULL;
    for (uint32_t node = 1; node < b->p->node_count; node++)
        t->of_stack[node] = b->drafts[b->paths[t->of_stack[node]].draft].place;
}

int calltree_build(struct calltree *t, const struct profile *p, bool by_thread)
{
    *t = (struct calltree){0};
    struct builder *b = calloc(1, sizeof *b);
    if (!b)
        return -ENOMEM;
    b->p = p;
    int rc = draft_all(b, by_thread);
    if (!rc) {
        weigh(b);
        rc = settle(t, b);
    }
    if (!rc && !by_thread)
        take_places(t, b);
    if (rc)
        calltree_deinit(t);
    map_deinit(&b->children);
    map_deinit(&b->below_top);
    free(b->drafts);
    free(b->paths);
    free(b->plain);
    free(b);
    return rc;
}

int calltree_add_effects(struct calltree *t, const struct successive_order *order)
{
    if (!t->of_stack || order->by == SUCCESSIVE_UNKNOWN)
        return 0;
    struct successive_pair *pairs = calloc(t->count, sizeof *pairs); /* the entry of node i is at i - 1 */
    int rc = pairs ? successive_count(order, t->of_stack, pairs, t->count) : -ENOMEM;
    struct successive_whole whole = successive_whole(order);
    for (uint32_t i = 1; !rc && i < t->count; i++) {
        struct calltree_node *n = &t->nodes[i];
        n->self_effect = successive_effect(pairs[i - 1].self, n->self_samples, &whole);
        n->total_effect = successive_effect(pairs[i - 1].total, n->total_samples, &whole);
    }
    free(pairs);
    return rc;
}

void calltree_deinit(struct calltree *t)
{
    free(t->nodes);
    free(t->of_stack);
    *t = (struct calltree){0};
}
