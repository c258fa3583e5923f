#include "profile/prune.h"

#include <errno.h>
#include <stdlib.h>

/* Heaviest first; of equal ones the parent, whose number is smaller: what is kept has all it stands on. */
static int heavier(const void *left, const void *right, void *context)
{
    const uint64_t *totals = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (totals[a] != totals[b])
        return totals[a] > totals[b] ? -1 : 1;
    return (a > b) - (a < b);
}

static uint32_t used_nodes(const struct profile *p, uint64_t *totals, uint32_t *order)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->sample_count; i++)
        totals[p->samples[i].stack] += p->samples[i].weight;
    for (uint32_t i = p->node_count - 1; i > 0; i--)
        totals[p->nodes[i].parent] += totals[i];
    for (uint32_t i = 1; i < p->node_count; i++)
        if (totals[i])
            order[n++] = i;
    return n;
}

static int mark_frame(struct profile *p, uint32_t *frame)
{
    static const char text[] = "[pruned]";
    uint32_t name, method;
    if (profile_string(p, text, sizeof text - 1, &name) || profile_method(p, 0, name, 0, &method))
        return -ENOMEM;
    return profile_frame(p, method, 0, 0, PROFILE_TYPE_MARK, frame);
}

/* `to` of a node that is kept is itself; of another the mark on the nearest one that is. */
static int move_samples(struct profile *p, const bool *kept, uint32_t *to, uint32_t nodes, struct pruned *out)
{
    uint32_t frame;
    if (mark_frame(p, &frame))
        return -ENOMEM;
    for (uint32_t i = 1; i < nodes; i++)
        to[i] = kept[i] ? i : to[p->nodes[i].parent];
    for (uint32_t i = 0; i < p->sample_count; i++) {
        struct profile_sample *s = &p->samples[i];
        if (s->stack == to[s->stack])
            continue;
        out->weight += s->weight;
        if (profile_stack(p, to[s->stack], frame, &s->stack))
            return -ENOMEM;
    }
    return 0;
}

int profile_prune(struct profile *p, uint32_t keep, struct pruned *out)
{
    uint32_t nodes = p->node_count;
    uint64_t *totals = calloc(nodes, sizeof *totals);
    uint32_t *order = calloc(nodes, sizeof *order), *to = calloc(nodes, sizeof *to);
    bool *kept = calloc(nodes, sizeof *kept);
    *out = (struct pruned){0};
    int rc = totals && order && to && kept ? 0 : -ENOMEM;
    uint32_t n = rc ? 0 : used_nodes(p, totals, order);
    if (n > keep) {
        qsort_r(order, n, sizeof *order, heavier, totals);
        for (uint32_t i = 0; i < keep; i++)
            kept[order[i]] = true;
        out->nodes = n - keep;
        rc = move_samples(p, kept, to, nodes, out);
    }
    free(totals);
    free(order);
    free(to);
    free(kept);
    return rc;
}
