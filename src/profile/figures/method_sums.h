/* Self and total of each method in a trie whose nodes have weights. It needs no samples, so it also serves where stacks are too many to
 * become samples of a profile. */
#ifndef CANDOR_PROFILE_FIGURES_METHOD_SUMS_H
#define CANDOR_PROFILE_FIGURES_METHOD_SUMS_H

#include "profile/profile.h"

/* A method's sums, of all stacks of a profile or of more than it still shows. */
struct method_sum {
    uint32_t label; /* string id */
    uint64_t self, total;
};

/* self, total: by node of p; the total of a node includes all nodes above it. Adds to self_of and total_of, which are by string id: that
 * of a frame's label. A stack in which a method calls itself counts once in its total; marks count as no method (stats.h). O(nodes).
 * 0 or -ENOMEM. */
int method_sums(const struct profile *p, const uint64_t *self, const uint64_t *total, uint64_t *self_of, uint64_t *total_of);

#endif
