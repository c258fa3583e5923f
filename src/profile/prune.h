/* Fewer stacks: the lightest branches of the trie are cut, and what their samples weigh stays on the frame that they grew from, under a
 * frame "[pruned]". The sum of all weights stays what it was. */
#ifndef CANDOR_PROFILE_PRUNE_H
#define CANDOR_PROFILE_PRUNE_H

#include "profile/profile.h"

struct pruned {
    uint64_t weight; /* of samples that lost frames */
    uint32_t nodes;  /* stacks that are not shown any more */
};

/* Keeps the `keep` heaviest nodes. 0 or -ENOMEM. */
int profile_prune(struct profile *p, uint32_t keep, struct pruned *out);

#endif
