#include "profile/load/load_shared.h"

#include "base/array.h"

#include <string.h>

/* Makes room for the ids of `count` entries. Returns 0 or -ENOMEM. */
static int reach(struct load_copied *c, uint32_t count)
{
    uint32_t before = c->cap;
    while (c->cap < count)
        if (ARRAY_GROW(c->ids, c->cap, c->cap))
            return -ENOMEM;
    if (c->cap > before)
        memset(c->ids + before, 0, (c->cap - before) * sizeof *c->ids);
    return 0;
}

static int copy_string(struct load_shared *s, uint32_t *string)
{
    uint32_t *copied = &s->strings.ids[*string];
    if (*string && !*copied) {
        uint32_t id = strtab_copy(&s->to->strings, &s->from->strings, *string);
        if (!id)
            return -ENOMEM;
        *copied = id + 1;
    }
    *string = *string ? *copied - 1 : 0;
    return 0;
}

static int copy_method(struct load_shared *s, uint32_t *method)
{
    struct profile *to = s->to;
    uint32_t *copied = &s->methods.ids[*method];
    if (!*copied) {
        struct profile_method m = s->from->methods[*method];
        if (ARRAY_GROW(to->methods, to->method_cap, to->method_count) || copy_string(s, &m.class_name) || copy_string(s, &m.name) ||
            copy_string(s, &m.descriptor) || copy_string(s, &m.package) || copy_string(s, &m.label))
            return -ENOMEM;
        to->methods[to->method_count++] = m;
        *copied = to->method_count;
    }
    *method = *copied - 1;
    return 0;
}

static int copy_frame(struct load_shared *s, uint32_t *frame)
{
    struct profile *to = s->to;
    uint32_t *copied = &s->frames.ids[*frame];
    if (!*copied) {
        struct profile_frame f = s->from->frames[*frame];
        if (ARRAY_GROW(to->frames, to->frame_cap, to->frame_count) || copy_method(s, &f.method) || copy_string(s, &f.label))
            return -ENOMEM;
        to->frames[to->frame_count++] = f;
        *copied = to->frame_count;
    }
    *frame = *copied - 1;
    return 0;
}

/* Copies the nodes from `leaf` up to the first one that is copied already, which is above `count` others. */
static int copy_nodes(struct load_shared *s, uint32_t leaf, uint32_t count)
{
    struct profile *to = s->to;
    while (to->node_cap - to->node_count < count)
        if (ARRAY_GROW(to->nodes, to->node_cap, to->node_cap))
            return -ENOMEM;
    uint32_t node = leaf, first = to->node_count, end = first + count;
    for (uint32_t id = end; id-- > first;) {
        struct profile_node n = s->from->nodes[node];
        if (copy_frame(s, &n.frame))
            return -ENOMEM;
        s->nodes.ids[node] = id + 1;
        node = n.parent;
        n.parent = id > first ? id - 1 : s->nodes.ids[node] - 1;
        to->nodes[id] = n;
    }
    to->node_count = end;
    to->unindexed = true;
    return 0;
}

int load_shared_stack(struct load_shared *s, uint32_t *stack)
{
    const struct profile *from = s->from;
    uint32_t missing = 0;
    if (reach(&s->strings, from->strings.count) || reach(&s->methods, from->method_count) || reach(&s->frames, from->frame_count) ||
        reach(&s->nodes, from->node_count))
        return -ENOMEM;
    s->nodes.ids[0] = 1; /* the root */
    for (uint32_t node = *stack; !s->nodes.ids[node]; node = from->nodes[node].parent)
        missing++;
    if (missing && copy_nodes(s, *stack, missing))
        return -ENOMEM;
    *stack = s->nodes.ids[*stack] - 1;
    return 0;
}

void load_shared_deinit(struct load_shared *s)
{
    free(s->strings.ids);
    free(s->methods.ids);
    free(s->frames.ids);
    free(s->nodes.ids);
    *s = (struct load_shared){0};
}
