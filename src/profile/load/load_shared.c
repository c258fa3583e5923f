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

static int add_method(struct load_shared *s, struct profile_method m, uint32_t *method)
{
    struct profile *to = s->to;
    if (copy_string(s, &m.class_name) || copy_string(s, &m.name) || copy_string(s, &m.descriptor))
        return -ENOMEM;
    if (s->searches)
        return profile_method(to, m.class_name, m.name, m.descriptor, method);
    if (copy_string(s, &m.package) || copy_string(s, &m.label) || ARRAY_GROW(to->methods, to->method_cap, to->method_count))
        return -ENOMEM;
    *method = to->method_count;
    to->methods[to->method_count++] = m;
    return 0;
}

static int copy_method(struct load_shared *s, uint32_t *method)
{
    uint32_t *copied = &s->methods.ids[*method];
    if (!*copied) {
        if (add_method(s, s->from->methods[*method], method))
            return -ENOMEM;
        *copied = *method + 1;
    }
    *method = *copied - 1;
    return 0;
}

static int add_frame(struct load_shared *s, struct profile_frame f, uint32_t *frame)
{
    struct profile *to = s->to;
    if (copy_method(s, &f.method))
        return -ENOMEM;
    if (s->searches)
        return profile_frame(to, f.method, f.line, f.bci, f.type, frame);
    if (copy_string(s, &f.label) || ARRAY_GROW(to->frames, to->frame_cap, to->frame_count))
        return -ENOMEM;
    *frame = to->frame_count;
    to->frames[to->frame_count++] = f;
    return 0;
}

static int copy_frame(struct load_shared *s, uint32_t frame)
{
    uint32_t *copied = &s->frames.ids[frame];
    if (*copied)
        return 0;
    if (add_frame(s, s->from->frames[frame], &frame))
        return -ENOMEM;
    *copied = frame + 1;
    return 0;
}

static int copy_node(struct load_shared *s, uint32_t node)
{
    struct profile *to = s->to;
    const struct profile_node *n = &s->from->nodes[node];
    uint32_t parent = s->nodes.ids[n->parent] - 1, frame = s->frames.ids[n->frame] - 1, id = to->node_count;
    if (s->searches && profile_stack(to, parent, frame, &id))
        return -ENOMEM;
    if (!s->searches) {
        if (ARRAY_GROW(to->nodes, to->node_cap, to->node_count))
            return -ENOMEM;
        to->nodes[to->node_count++] = (struct profile_node){parent, frame};
        to->unindexed = true;
    }
    s->nodes.ids[node] = id + 1;
    return 0;
}

/* Copies frames leaf first, as a reader does, and then their places from the root on. */
int load_shared_stack(struct load_shared *s, uint32_t stack)
{
    const struct profile *from = s->from;
    uint32_t depth = 0;
    int rc = 0;
    if (reach(&s->strings, from->strings.count) || reach(&s->methods, from->method_count) || reach(&s->frames, from->frame_count) ||
        reach(&s->nodes, from->node_count))
        return -ENOMEM;
    s->nodes.ids[0] = 1; /* the root */
    for (uint32_t node = stack; !rc && !s->nodes.ids[node]; node = from->nodes[node].parent) {
        rc = ARRAY_GROW(s->path, s->path_cap, depth) ? -ENOMEM : copy_frame(s, from->nodes[node].frame);
        if (!rc)
            s->path[depth++] = node;
    }
    while (!rc && depth)
        rc = copy_node(s, s->path[--depth]);
    return rc;
}

void load_shared_deinit(struct load_shared *s)
{
    free(s->strings.ids);
    free(s->methods.ids);
    free(s->frames.ids);
    free(s->nodes.ids);
    free(s->path);
    *s = (struct load_shared){0};
}
