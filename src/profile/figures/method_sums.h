/* Computes self and total of each method in a trie whose nodes have weights. It needs no samples, so it also works if there are too many
 * stacks for the samples of a profile. */
#ifndef CANDOR_PROFILE_FIGURES_METHOD_SUMS_H
#define CANDOR_PROFILE_FIGURES_METHOD_SUMS_H

#include "profile/profile.h"

/* A method's sums. They may include stacks that the profile does not show any more. */
struct method_sum {
    uint32_t label; /* string id */
    uint64_t self, total;
};

/* Adds the weights of nodes to the sums of their methods. self, total: by node of p; the total of a node includes all nodes above it.
 * self_of, total_of: the sums, by the string id of a frame's label. A stack in which a method calls itself counts once in the method's
 * total. Marks are not counted as methods (PROFILE_TYPE_MARK). O(nodes). Returns 0 or -ENOMEM. */
int method_sums(const struct profile *p, const uint64_t *self, const uint64_t *total, uint64_t *self_of, uint64_t *total_of);

#endif
