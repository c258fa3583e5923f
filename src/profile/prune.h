/* Fewer stacks: the lightest branches of the trie are cut, and the weight of their samples stays on the frame from which they
 * grew, under a frame "[pruned]". The sum of all weights does not change. */
#ifndef CANDOR_PROFILE_PRUNE_H
#define CANDOR_PROFILE_PRUNE_H

#include "profile/profile.h"

struct pruned {
    uint64_t weight; /* of samples that lost frames */
    uint32_t nodes;  /* stacks that are not shown any more */
};

/* Keeps the `keep` heaviest nodes, and adds what was pruned to `out`. If a profile is pruned again, no sample is counted twice. 0 or
 * -ENOMEM. */
int profile_prune(struct profile *p, uint32_t keep, struct pruned *out);

/* Which nodes these are: totals[i] is the weight of node i, including the nodes above it. Among equal ones the smaller numbers
 * are kept, so that each kept node keeps its parents. Returns the number of nodes with a weight that are left out, or -ENOMEM.
 * O(nodes). */
int64_t prune_choose(const uint64_t *totals, uint32_t nodes, uint32_t keep, bool *kept);
/* The frame "[pruned]". 0 or -ENOMEM. */
int prune_frame(struct profile *p, uint32_t *frame);

#endif
