#include "profile/load/load_shared.h"

#include "base/array.h"

#include <string.h>

enum { AHEAD = 8 }; /* frames whose memory is being loaded */

#define NOTED UINT32_MAX /* in place of an id: it will be copied */

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

/* Whether this place of the noted stacks is where a stack ends, towards the root. The parent of such a place was noted before. */
static bool is_end(const struct load_shared *s, uint32_t i)
{
    return i + 1 == s->path_count || s->from->nodes[s->path[i]].parent != s->path[i + 1];
}

/* Loads the memory that copy_frame will need, without waiting for it. The key of a frame is not known before its method is copied. */
static void frame_soon(const struct load_shared *s, uint32_t frame)
{
    const struct profile_frame *f = &s->from->frames[frame];
    uint32_t method = s->methods.ids[f->method];
    if (method && !s->frames.ids[frame])
        profile_frame_soon(s->to, method - 1, f->line, f->bci, f->type);
}

static int copy_frames(struct load_shared *s)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < s->path_count; i++) {
        if (s->searches && i + AHEAD < s->path_count)
            frame_soon(s, s->from->nodes[s->path[i + AHEAD]].frame);
        rc = copy_frame(s, s->from->nodes[s->path[i]].frame);
    }
    return rc;
}

static int copy_nodes(struct load_shared *s)
{
    int rc = 0;
    for (uint32_t begin = 0, end; !rc && begin < s->path_count; begin = end) {
        for (end = begin; !is_end(s, end); end++)
            ;
        for (uint32_t i = ++end; !rc && i > begin; i--)
            rc = copy_node(s, s->path[i - 1]);
    }
    return rc;
}

/* Loads the memory of a copied place's first child, which copy_node looks at first, without waiting for it. */
static void child_soon(const struct load_shared *s, uint32_t node)
{
    if (s->searches && s->nodes.ids[node] != NOTED)
        __builtin_prefetch(&s->to->nodes[s->nodes.ids[node]]);
}

int load_shared_note(struct load_shared *s, uint32_t stack)
{
    const struct profile *from = s->from;
    uint32_t node = stack;
    if (reach(&s->nodes, from->node_count))
        return -ENOMEM;
    s->nodes.ids[0] = 1; /* the root */
    for (; !s->nodes.ids[node]; node = from->nodes[node].parent) {
        if (ARRAY_GROW(s->path, s->path_cap, s->path_count))
            return -ENOMEM;
        s->path[s->path_count++] = node;
        s->nodes.ids[node] = NOTED;
    }
    child_soon(s, node);
    return 0;
}

/* Copies frames leaf first, as a reader does, and then their places from the root on. */
int load_shared_copy(struct load_shared *s)
{
    const struct profile *from = s->from;
    if (reach(&s->strings, from->strings.count) || reach(&s->methods, from->method_count) || reach(&s->frames, from->frame_count) ||
        copy_frames(s) || copy_nodes(s))
        return -ENOMEM;
    s->path_count = 0;
    return 0;
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
