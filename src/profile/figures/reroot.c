#include "profile/figures/reroot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reroot_work {
    struct profile *view;
    const struct profile *p;
    enum reroot how;
    bool *is_method;  /* by frame */
    uint32_t *became; /* by stack: the stack in the view, plus 1; 0 = not made yet, 1 = none */
    uint32_t path[PROFILE_DEPTH_MAX + 1];
};

static const struct profile_frame *frame_of(const struct profile *p, uint32_t node)
{
    return &p->frames[p->nodes[node].frame];
}

/* Makes the reversed stack, from the leaf, or from the method's innermost frame, to the root. */
static int turn_round(struct reroot_work *w, uint32_t node, uint32_t *id)
{
    while (w->how == REROOT_CALLERS && node && !w->is_method[w->p->nodes[node].frame])
        node = w->p->nodes[node].parent;
    for (uint32_t depth = 0; node && depth < REROOT_DEPTH_MAX; depth++, node = w->p->nodes[node].parent)
        if (frame_of(w->p, node)->type != PROFILE_TYPE_MARK && profile_stack(w->view, *id, w->p->nodes[node].frame, id))
            return -ENOMEM;
    return 0;
}

/* Makes the stack from the method's outermost frame to the leaf. */
static int cut_off(struct reroot_work *w, uint32_t node, uint32_t *id)
{
    uint32_t depth = 0, outermost = 0;
    for (; node; node = w->p->nodes[node].parent) {
        w->path[depth++] = w->p->nodes[node].frame;
        if (w->is_method[w->p->nodes[node].frame])
            outermost = depth;
    }
    while (outermost--)
        if (profile_stack(w->view, *id, w->path[outermost], id))
            return -ENOMEM;
    return 0;
}

static int take_samples(struct reroot_work *w)
{
    for (uint32_t i = 0; i < w->p->sample_count; i++) {
        struct profile_sample s = w->p->samples[i];
        uint32_t *became = &w->became[s.stack], id = 0;
        if (!*became) {
            if (w->how == REROOT_CALLEES ? cut_off(w, s.stack, &id) : turn_round(w, s.stack, &id))
                return -ENOMEM;
            *became = id + 1;
        }
        s.stack = *became - 1;
        if (s.stack && profile_add_sample(w->view, &s))
            return -ENOMEM;
    }
    return 0;
}

/* Makes a view that has no stacks and samples yet. */
static int begin_view(struct profile *view, const struct profile *p)
{
    struct profile own;
    int rc = profile_init(&own);
    *view = *p; /* the members that are only read */
    view->nodes = own.nodes;
    view->node_count = own.node_count;
    view->node_cap = own.node_cap;
    view->samples = own.samples;
    view->sample_cap = own.sample_cap;
    memcpy(view->maps, own.maps, sizeof view->maps);
    strtab_deinit(&own.strings);
    free(own.labels);
    profile_drop_samples(view);
    return rc;
}

static int fill_view(struct profile *view, const struct profile *p, enum reroot how, bool *is_method)
{
    struct reroot_work *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    *w = (struct reroot_work){.view = view, .p = p, .how = how, .is_method = is_method};
    w->became = calloc(p->node_count, sizeof *w->became);
    int rc = w->became ? take_samples(w) : -ENOMEM;
    free(w->became);
    free(w);
    return rc;
}

/* Makes the view. The method is given by a pattern or, if the pattern is NULL, by its label. */
static int make_view(struct profile *view, const struct profile *p, enum reroot how, const struct regex *method, uint32_t label)
{
    int rc = begin_view(view, p);
    bool *is_method = calloc((size_t)p->frame_count + 1, sizeof *is_method);
    for (uint32_t i = 0; is_method && how != REROOT_BOTTOM_UP && i < p->frame_count; i++)
        is_method[i] = p->frames[i].type != PROFILE_TYPE_MARK &&
                       (method ? regex_matches(method, profile_text(p, p->frames[i].label)) : p->frames[i].label == label);
    if (!is_method)
        rc = -ENOMEM;
    if (!rc)
        rc = fill_view(view, p, how, is_method);
    free(is_method);
    return rc;
}

int reroot_init(struct profile *view, const struct profile *p, enum reroot how, const struct regex *method)
{
    return make_view(view, p, how, method, 0);
}

int reroot_init_label(struct profile *view, const struct profile *p, enum reroot how, uint32_t label)
{
    return make_view(view, p, how, NULL, label);
}

void reroot_deinit(struct profile *view)
{
    for (size_t i = 0; i < PROFILE_MAPS; i++)
        map_deinit(&view->maps[i]);
    free(view->nodes);
    free(view->samples);
    *view = (struct profile){0};
}
