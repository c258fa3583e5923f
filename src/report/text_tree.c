#include "report/text.h"

#include "profile/calltree.h"

#include <errno.h>

enum { INDENT_MAX = 30 };

struct walk {
    const struct text *t;
    const struct calltree *tree;
    uint64_t least; /* weight of a branch that is shown */
    bool wide_total, wide_self;
};

/* Children stand heaviest first: those that are shown come before those that are not. */
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
    text_shares(w->t, share(w, n->total), share(w, n->self), w->wide_total, w->wide_self);
    if (indent)
        fprintf(w->t->out, "%*s%s", (int)indent - 2, "", branch ? "+ " : "  ");
    text_name(w->t, n->label, 16 + (size_t)w->wide_total + (size_t)w->wide_self + indent, text_mark(n->type));
}

/* A chain of only children stays in one column, only a fork moves to the right: real stacks are deep, not bushy. The
 * depth is bounded by PROFILE_DEPTH_MAX. */
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

int text_tree(const struct text *t)
{
    struct calltree tree;
    int rc = t->s->samples ? calltree_build(&tree, t->p, false) : -ENODATA;
    if (rc)
        return rc == -ENODATA ? 0 : rc;
    struct walk w = {.t = t, .tree = &tree, .least = (uint64_t)(t->o->threshold * (double)t->s->weight)};
    if (!w.least)
        w.least = 1;
    for (uint32_t i = 1; i < tree.count; i++) {
        w.wide_total |= text_is_full(share(&w, tree.nodes[i].total));
        w.wide_self |= text_is_full(share(&w, tree.nodes[i].self));
    }
    char about[80];
    snprintf(about, sizeof about, "  %% of %s: t total, s self; branches of %.3g %% and more", text_whole(t),
             t->o->threshold * 100);
    text_heading(t, "Tree", about);
    put_children(&w, &tree.nodes[0], 0);
    calltree_deinit(&tree);
    return 0;
}
