#include "server/connect/flamebearer.h"

#include "base/array.h"
#include "profile/figures/calltree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 2 };

/* A node of one tree, or of both. 0 = that tree does not have it, unless it is the root. */
struct pair {
    uint32_t nodes[SIDES];
    uint32_t name;
    bool is_root;
};

struct builder {
    struct flamebearer *out;
    struct profile *const *profiles;
    struct calltree trees[SIDES];
    int sides;
    struct map names; /* string id of the text in `texts` -> name */
    struct strtab texts;
    struct row {
        struct pair *list;
        uint32_t count, cap;
    } now, next;
};

static const struct calltree_node *node_of(const struct builder *b, int side, const struct pair *p)
{
    return p->nodes[side] || p->is_root ? &b->trees[side].nodes[p->nodes[side]] : NULL;
}

static int64_t total_of(const struct builder *b, int side, const struct pair *p)
{
    const struct calltree_node *n = node_of(b, side, p);
    return n ? (int64_t)n->total : 0;
}

static int64_t self_of(const struct builder *b, int side, const struct pair *p)
{
    const struct calltree_node *n = node_of(b, side, p);
    return n ? (int64_t)n->self : 0;
}

/* Returns the number of a name. Names are numbered in the order in which they are found; 0 is the name of the root. */
static int name_of(struct builder *b, const char *text, uint32_t *name)
{
    struct flamebearer *f = b->out;
    bool added;
    uint32_t id = strtab_add_text(&b->texts, text);
    uint32_t *place = *text && !id ? NULL : map_add(&b->names, id, &added);
    if (!place || ARRAY_GROW(f->names, f->name_cap, f->name_count))
        return -ENOMEM;
    if (added) {
        f->names[f->name_count] = text;
        *place = f->name_count++;
    }
    *name = *place;
    return 0;
}

static int add_value(struct flamebearer_level *l, int64_t v)
{
    if (ARRAY_GROW(l->values, l->cap, l->count))
        return -ENOMEM;
    l->values[l->count++] = v;
    return 0;
}

/* ---- children ---- */

static int add_child(struct builder *b, int side, uint32_t node, struct map *places, uint32_t from)
{
    const struct calltree_node *n = &b->trees[side].nodes[node];
    uint32_t name;
    bool added;
    if (!n->total)
        return 0;
    if (name_of(b, profile_text(b->profiles[side], n->label), &name) || ARRAY_GROW(b->next.list, b->next.cap, b->next.count))
        return -ENOMEM;
    uint32_t *place = b->sides > 1 ? map_add(places, name, &added) : NULL;
    if (b->sides > 1 && !place)
        return -ENOMEM;
    if (place && !added) {
        b->next.list[from + *place].nodes[side] = node;
        return 0;
    }
    if (place)
        *place = b->next.count - from;
    b->next.list[b->next.count] = (struct pair){.name = name};
    b->next.list[b->next.count++].nodes[side] = node;
    return 0;
}

/* Adds the children of a node. Children with the same name become one. */
static int add_children(struct builder *b, const struct pair *p)
{
    struct map places;
    uint32_t from = b->next.count;
    int rc = 0;
    map_init(&places);
    for (int side = 0; side < b->sides; side++) {
        const struct calltree_node *n = node_of(b, side, p);
        for (uint32_t i = 0; n && !rc && i < n->child_count; i++)
            rc = add_child(b, side, n->first + i, &places, from);
    }
    map_deinit(&places);
    return rc;
}

/* ---- levels ---- */

static int add_node(struct builder *b, struct flamebearer_level *level, const struct pair *p, const int64_t at[SIDES], int64_t end[SIDES])
{
    int rc = 0;
    for (int side = 0; side < b->sides; side++) {
        int64_t total = total_of(b, side, p), self = self_of(b, side, p);
        rc = rc ? rc : add_value(level, at[side] - end[side]);
        rc = rc ? rc : add_value(level, total);
        rc = rc ? rc : add_value(level, self);
        end[side] = at[side] + total;
        b->out->most_self = self > b->out->most_self ? self : b->out->most_self;
    }
    return rc ? rc : add_value(level, p->name);
}

/* Where the nodes of this row begin, by side. The children of a node begin after its self. */
struct starts {
    int64_t *list;
    uint32_t count, cap;
};

static int add_start(struct starts *s, int64_t at)
{
    if (ARRAY_GROW(s->list, s->cap, s->count))
        return -ENOMEM;
    s->list[s->count++] = at;
    return 0;
}

static int add_level(struct builder *b, const struct starts *now, struct starts *next)
{
    struct flamebearer *f = b->out;
    if (ARRAY_GROW(f->levels, f->level_cap, f->level_count))
        return -ENOMEM;
    struct flamebearer_level *level = &f->levels[f->level_count++];
    *level = (struct flamebearer_level){0};
    int64_t end[SIDES] = {0};
    int rc = 0;
    for (uint32_t i = 0; !rc && i < b->now.count; i++) {
        const struct pair *p = &b->now.list[i];
        const int64_t *at = &now->list[(size_t)i * SIDES];
        uint32_t from = b->next.count;
        rc = add_node(b, level, p, at, end);
        rc = rc ? rc : add_children(b, p);
        int64_t child[SIDES];
        for (int side = 0; side < SIDES; side++)
            child[side] = at[side] + (side < b->sides ? self_of(b, side, p) : 0);
        for (uint32_t k = from; !rc && k < b->next.count; k++)
            for (int side = 0; side < SIDES; side++) {
                rc = rc ? rc : add_start(next, child[side]);
                child[side] += side < b->sides ? total_of(b, side, &b->next.list[k]) : 0;
            }
    }
    return rc;
}

static int add_levels(struct builder *b)
{
    struct starts now = {0}, next = {0};
    uint32_t root;
    int rc = name_of(b, "total", &root);
    rc = rc || ARRAY_GROW(b->now.list, b->now.cap, b->now.count) ? -ENOMEM : 0;
    if (!rc)
        b->now.list[b->now.count++] = (struct pair){.is_root = true};
    for (int side = 0; side < SIDES; side++)
        rc = rc ? rc : add_start(&now, 0);
    while (!rc && b->now.count) {
        rc = add_level(b, &now, &next);
        struct row row = b->now;
        b->now = b->next;
        b->next = row;
        b->next.count = 0;
        struct starts starts = now;
        now = next;
        next = starts;
        next.count = 0;
    }
    free(now.list);
    free(next.list);
    return rc;
}

int flamebearer_build(struct flamebearer *f, struct profile *const sides[], int side_count)
{
    struct builder b = {.out = f, .profiles = sides, .sides = side_count};
    *f = (struct flamebearer){0};
    map_init(&b.names);
    int rc = strtab_init(&b.texts) ? -ENOMEM : 0;
    for (int i = 0; !rc && i < side_count; i++) {
        rc = calltree_build(&b.trees[i], sides[i], false);
        f->totals[i] = rc ? 0 : (int64_t)b.trees[i].nodes[0].total;
    }
    rc = rc ? rc : add_levels(&b);
    for (int i = 0; i < side_count; i++)
        calltree_deinit(&b.trees[i]);
    free(b.now.list);
    free(b.next.list);
    map_deinit(&b.names);
    strtab_deinit(&b.texts);
    return rc;
}

void flamebearer_deinit(struct flamebearer *f)
{
    for (uint32_t i = 0; i < f->level_count; i++)
        free(f->levels[i].values);
    free(f->levels);
    free(f->names);
    *f = (struct flamebearer){0};
}
