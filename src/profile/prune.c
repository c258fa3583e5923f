#include "profile/prune.h"

#include <errno.h>
#include <stdlib.h>

/* Returns the weight of the rank-th heaviest of n, where the heaviest has rank 1. It compares one digit of eight bits after the other,
 * the highest first. The list is overwritten. */
static uint64_t select_weight(uint64_t *list, uint32_t n, uint32_t rank)
{
    uint64_t weight = 0;
    for (int shift = 56; shift >= 0; shift -= 8) {
        uint32_t counts[256] = {0}, left = 0, digit = 255;
        for (uint32_t i = 0; i < n; i++)
            counts[list[i] >> shift & 255]++;
        for (; counts[digit] < rank; digit--)
            rank -= counts[digit];
        for (uint32_t i = 0; i < n; i++)
            if ((list[i] >> shift & 255) == digit)
                list[left++] = list[i];
        n = left;
        weight |= (uint64_t)digit << shift;
    }
    return weight;
}

int64_t prune_choose(const uint64_t *totals, uint32_t nodes, uint32_t keep, bool *kept)
{
    uint64_t *list = malloc((size_t)nodes * sizeof *list), least = 1;
    uint32_t n = 0, above = 0;
    if (!list)
        return -ENOMEM;
    for (uint32_t i = 1; i < nodes; i++)
        if (totals[i])
            list[n++] = totals[i];
    int64_t left_out = n > keep ? n - keep : 0;
    if (left_out)
        least = select_weight(list, n, keep);
    free(list);
    for (uint32_t i = 1; i < nodes; i++)
        above += totals[i] > least;
    for (uint32_t i = 1, of_least = left_out ? keep - above : nodes; i < nodes; i++) {
        bool is_least = totals[i] == least;
        kept[i] = totals[i] > least || (is_least && of_least);
        of_least -= is_least && of_least;
    }
    return left_out;
}

int prune_frame(struct profile *p, uint32_t *frame)
{
    static const char text[] = "[pruned]";
    uint32_t name, method;
    if (profile_string(p, text, sizeof text - 1, &name) || profile_method(p, 0, name, 0, &method))
        return -ENOMEM;
    return profile_frame(p, method, 0, 0, PROFILE_TYPE_MARK, frame);
}

static void weigh(const struct profile *p, uint64_t *totals)
{
    for (uint32_t i = 0; i < p->sample_count; i++)
        totals[p->samples[i].stack] += p->samples[i].weight;
    for (uint32_t i = p->node_count - 1; i > 0; i--)
        totals[p->nodes[i].parent] += totals[i];
}

/* Moves samples of pruned nodes. `to` of a kept node is the node itself. `to` of another node is the "[pruned]" frame on its nearest
 * kept ancestor. */
static int move_samples(struct profile *p, const bool *kept, uint32_t *to, uint32_t nodes, struct pruned *out)
{
    uint32_t frame;
    if (prune_frame(p, &frame))
        return -ENOMEM;
    for (uint32_t i = 1; i < nodes; i++)
        to[i] = kept[i] ? i : to[p->nodes[i].parent];
    for (uint32_t i = 0; i < p->sample_count; i++) {
        struct profile_sample *s = &p->samples[i];
        if (s->stack == to[s->stack])
            continue;
        if (p->nodes[s->stack].frame != frame)
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
    uint32_t *to = calloc(nodes, sizeof *to);
    bool *kept = calloc(nodes, sizeof *kept);
    int64_t left_out = -ENOMEM;
    if (totals && to && kept) {
        weigh(p, totals);
        left_out = prune_choose(totals, nodes, keep, kept);
    }
    int rc = left_out < 0 ? (int)left_out : 0;
    if (left_out > 0) {
        out->nodes += (uint32_t)left_out;
        rc = move_samples(p, kept, to, nodes, out);
    }
    free(totals);
    free(to);
    free(kept);
    return rc;
}
