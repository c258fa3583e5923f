/* Reduces the number of stacks. The lightest branches of the trie are cut, and the weight of their samples moves to a frame "[pruned]",
 * a child of the frame from which the branch grew. The sum of all weights does not change. */
#ifndef CANDOR_PROFILE_PRUNE_H
#define CANDOR_PROFILE_PRUNE_H

#include "profile/profile.h"

struct pruned {
    uint64_t weight; /* weight of samples that lost frames */
    uint32_t nodes;  /* stacks that are not shown any more */
};

/* Keeps the `keep` heaviest nodes, and adds the weight and the number of the pruned nodes to `out`. If a profile is pruned again, no
 * sample is counted twice. Returns 0 or -ENOMEM. */
int profile_prune(struct profile *p, uint32_t keep, struct pruned *out);

/* Chooses the nodes that are kept. totals[i] is the weight of node i, including the nodes above it. Among nodes of equal weight those
 * with the smaller numbers are kept, so that each kept node keeps its parents. Returns the number of nodes with a weight that are left
 * out, or -ENOMEM. O(nodes). */
int64_t prune_choose(const uint64_t *totals, uint32_t nodes, uint32_t keep, bool *kept);
/* Interns the frame "[pruned]". Returns 0 or -ENOMEM. */
int prune_frame(struct profile *p, uint32_t *frame);

#endif
