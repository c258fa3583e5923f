#include "profile/figures/method_sums.h"

#include <errno.h>
#include <stdlib.h>

/* The state of a depth-first walk through the trie. 0 = none, because the root is not a child of any node. */
struct walk {
    const struct profile *p;
    uint32_t *first, *next; /* first child and next sibling of a node */
    uint32_t *open;         /* by label: number of nodes with this label from the root to the current node */
};

static void link_children(struct walk *w)
{
    for (uint32_t i = w->p->node_count - 1; i > 0; i--) {
        uint32_t parent = w->p->nodes[i].parent;
        w->next[i] = w->first[parent];
        w->first[parent] = i;
    }
}

static const struct profile_frame *frame_of(const struct walk *w, uint32_t node)
{
    return &w->p->frames[w->p->nodes[node].frame];
}

static void visit(const struct walk *w, uint32_t node, const uint64_t *self, const uint64_t *total, uint64_t *self_of, uint64_t *total_of)
{
    const struct profile_frame *f = frame_of(w, node);
    if (f->type == PROFILE_TYPE_MARK)
        return;
    self_of[f->label] += self[node];
    total_of[f->label] += w->open[f->label] ? 0 : total[node];
}

int method_sums(const struct profile *p, const uint64_t *self, const uint64_t *total, uint64_t *self_of, uint64_t *total_of)
{
    struct walk w = {.p = p};
    w.first = calloc(p->node_count, sizeof *w.first);
    w.next = calloc(p->node_count, sizeof *w.next);
    w.open = calloc(p->strings.count, sizeof *w.open);
    int rc = w.first && w.next && w.open ? 0 : -ENOMEM;
    if (!rc)
        link_children(&w);
    for (uint32_t node = rc ? 0 : w.first[0]; node;) {
        visit(&w, node, self, total, self_of, total_of);
        if (w.first[node]) {
            w.open[frame_of(&w, node)->label]++;
            node = w.first[node];
            continue;
        }
        while (node && !w.next[node]) {
            node = p->nodes[node].parent;
            if (node)
                w.open[frame_of(&w, node)->label]--;
        }
        node = w.next[node];
    }
    free(w.first);
    free(w.next);
    free(w.open);
    return rc;
}
