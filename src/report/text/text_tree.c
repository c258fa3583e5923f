#include "report/text/text.h"

#include "profile/figures/calltree.h"
#include "profile/figures/reroot.h"

#include <errno.h>

enum { INDENT_MAX = 30 };

struct walk {
    const struct text *t;
    const struct calltree *tree;
    uint64_t least; /* the least weight of a branch that is shown */
    bool wide_total, wide_self;
    bool reversed; /* the tree goes from callee to caller, so self has no meaning */
};

/* Returns how many children are shown. Children are ordered by weight, heaviest first, so the shown ones come first. */
static uint32_t shown_children(const struct walk *w, const struct calltree_node *n)
{
    uint32_t shown = 0;
    while (shown < n->child_count && w->tree->nodes[n->first + shown].total >= w->least)
        shown++;
    return shown;
}

static double share(const struct walk *w, uint64_t weight)
{
    return w->t->s->weight ? (double)weight / (double)w->t->s->weight : 0;
}

static void put_node(const struct walk *w, const struct calltree_node *n, unsigned level, bool branch)
{
    unsigned indent = 2 * level < INDENT_MAX ? 2 * level : INDENT_MAX;
    if (w->reversed)
        fprintf(w->t->out, "(%*.1f) ", w->wide_total ? 5 : 4, share(w, n->total) * 100);
    else
        text_shares(w->t, share(w, n->total), share(w, n->self), w->wide_total, w->wide_self);
    if (indent)
        fprintf(w->t->out, "%*s%s", (int)indent - 2, "", branch ? "+ " : "  ");
    text_name(w->t, n->label, (w->reversed ? 7 : 16) + (size_t)w->wide_total + (size_t)w->wide_self + indent, text_mark(n->type));
}

/* Prints the children of a node. A single child stays in the column of its parent, and only several children move to the right, because
 * real stacks are deep and seldom branch. The depth is at most PROFILE_DEPTH_MAX. */
static void put_children(const struct walk *w, const struct calltree_node *n, unsigned level)
{
    uint32_t shown = shown_children(w, n);
    bool fork = shown > 1;
    for (uint32_t i = 0; i < shown; i++) {
        const struct calltree_node *child = &w->tree->nodes[n->first + i];
        put_node(w, child, level + fork, fork);
        put_children(w, child, level + fork);
    }
}

static int put_tree(const struct text *t, const struct profile *p, const char *title, bool reversed)
{
    struct calltree tree;
    int rc = p->sample_count ? calltree_build(&tree, p, false) : -ENODATA;
    if (rc)
        return rc == -ENODATA ? 0 : rc;
    struct walk w = {.t = t, .tree = &tree, .reversed = reversed, .least = (uint64_t)(t->o->threshold * (double)t->s->weight)};
    if (!w.least)
        w.least = 1;
    for (uint32_t i = 1; i < tree.count; i++) {
        w.wide_total |= text_is_full(share(&w, tree.nodes[i].total));
        w.wide_self |= text_is_full(share(&w, tree.nodes[i].self));
    }
    char about[120];
    snprintf(about, sizeof about, "  %% of %s: %s; branches of %.3g %% and more", text_whole(t),
             reversed ? "the samples with this chain of callers, innermost first" : "t total, s self", t->o->threshold * 100);
    text_heading(t, title, about);
    put_children(&w, &tree.nodes[0], 0);
    calltree_deinit(&tree);
    return 0;
}

static int put_view(const struct text *t, enum reroot how, const struct regex *method, const char *title)
{
    struct profile view;
    int rc = reroot_init(&view, t->p, how, method);
    if (!rc && !view.sample_count) {
        text_heading(t, title, "");
        fputs("no sample contains such a method\n", t->out);
    } else if (!rc) {
        rc = put_tree(t, &view, title, how != REROOT_CALLEES);
    }
    reroot_deinit(&view);
    return rc;
}

int text_trees(const struct text *t)
{
    int rc = t->o->sections & REPORT_TREE ? put_tree(t, t->p, "Tree", false) : 0;
    if (!rc && t->o->sections & REPORT_BOTTOM_UP)
        rc = put_view(t, REROOT_BOTTOM_UP, NULL, "Bottom up");
    if (!rc && t->o->callers)
        rc = put_view(t, REROOT_CALLERS, t->o->callers, "Callers");
    if (!rc && t->o->callees)
        rc = put_view(t, REROOT_CALLEES, t->o->callees, "Callees");
    return rc;
}
