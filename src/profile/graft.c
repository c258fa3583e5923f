#include "profile/graft.h"

#include "base/array.h"

#include <string.h>

/* Makes room for `count` ids. Returns 0 or -ENOMEM. */
static int reach(uint32_t **ids, uint32_t *cap, uint32_t count)
{
    while (*cap < count)
        if (array_grow((void **)ids, cap, *cap, sizeof **ids))
            return -ENOMEM;
    return 0;
}

static int take_strings(struct graft *g, struct profile *to, const struct profile *from)
{
    if (reach(&g->strings, &g->string_cap, from->strings.count))
        return -ENOMEM;
    for (uint32_t *i = &g->string_count; *i < from->strings.count; ++*i) {
        bool wanted = *i && (!g->strings_wanted || g->strings_wanted[*i]);
        g->strings[*i] = wanted ? strtab_copy(&to->strings, &from->strings, *i) : 0;
        if (wanted && !g->strings[*i])
            return -ENOMEM;
    }
    return 0;
}

static int reach_methods(struct graft *g, uint32_t count)
{
    uint32_t before = g->method_cap;
    if (reach(&g->methods, &g->method_cap, count))
        return -ENOMEM;
    if (g->method_cap > before)
        memset(g->methods + before, 0, (g->method_cap - before) * sizeof *g->methods);
    return 0;
}

static int take_method(struct graft *g, struct profile *to, const struct profile *from, uint32_t of, uint32_t *method)
{
    const struct profile_method *m = &from->methods[of];
    if (!g->methods[of]) {
        if (profile_method(to, g->strings[m->class_name], g->strings[m->name], g->strings[m->descriptor], method))
            return -ENOMEM;
        g->methods[of] = *method + 1;
    }
    *method = g->methods[of] - 1;
    return 0;
}

static int take_frames(struct graft *g, struct profile *to, const struct profile *from)
{
    if (reach(&g->frames, &g->frame_cap, from->frame_count) || reach_methods(g, from->method_count))
        return -ENOMEM;
    for (uint32_t *i = &g->frame_count; *i < from->frame_count; ++*i) {
        const struct profile_frame *f = &from->frames[*i];
        uint32_t method;
        if (take_method(g, to, from, f->method, &method) || profile_frame(to, method, f->line, f->bci, f->type, &g->frames[*i]))
            return -ENOMEM;
    }
    return 0;
}

static int take_nodes(struct graft *g, struct profile *to, const struct profile *from)
{
    if (reach(&g->nodes, &g->node_cap, from->node_count))
        return -ENOMEM;
    if (!g->node_count)
        g->nodes[g->node_count++] = 0; /* the root */
    for (uint32_t *i = &g->node_count; *i < from->node_count; ++*i) {
        const struct profile_node *n = &from->nodes[*i];
        if (profile_stack(to, g->nodes[n->parent], g->frames[n->frame], &g->nodes[*i]))
            return -ENOMEM;
    }
    return 0;
}

static int take_labels(struct graft *g, struct profile *to, const struct profile *from)
{
    if (reach(&g->labels, &g->label_cap, from->label_count))
        return -ENOMEM;
    if (!g->label_count)
        g->labels[g->label_count++] = 0; /* the empty set */
    for (uint32_t *i = &g->label_count; *i < from->label_count; ++*i) {
        struct profile_label l = from->labels[*i];
        l.parent = g->labels[l.parent];
        l.key = g->strings[l.key];
        l.value = g->strings[l.value];
        l.unit = g->strings[l.unit];
        if (profile_label(to, &l, &g->labels[*i]))
            return -ENOMEM;
    }
    return 0;
}

static int take_threads(struct graft *g, struct profile *to, const struct profile *from)
{
    if (reach(&g->threads, &g->thread_cap, from->thread_count))
        return -ENOMEM;
    for (uint32_t *i = &g->thread_count; *i < from->thread_count; ++*i) {
        const struct profile_thread *t = &from->threads[*i];
        if (profile_thread(to, g->strings[t->name], t->os_id, t->java_id, &g->threads[*i]))
            return -ENOMEM;
    }
    return 0;
}

int graft_take(struct graft *g, struct profile *to, const struct profile *from)
{
    int rc = take_strings(g, to, from);
    rc = rc ? rc : take_frames(g, to, from);
    rc = rc ? rc : take_nodes(g, to, from);
    rc = rc ? rc : take_labels(g, to, from);
    return rc ? rc : take_threads(g, to, from);
}

void graft_deinit(struct graft *g)
{
    free(g->strings);
    free(g->frames);
    free(g->methods);
    free(g->nodes);
    free(g->labels);
    free(g->threads);
    *g = (struct graft){0};
}
