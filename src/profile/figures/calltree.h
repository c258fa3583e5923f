/* Makes a call tree of a profile's stacks, by name: frames of one method with different lines, tiers or overloads are one node. The tree
 * report, the flame graph and collapsed stacks use it.
 *
 * Node 0 is the root. Parents come before their children. The children of one parent are adjacent, and the heaviest is the first. */
#ifndef CANDOR_PROFILE_FIGURES_CALLTREE_H
#define CANDOR_PROFILE_FIGURES_CALLTREE_H

#include "profile/figures/successive.h"
#include "profile/profile.h"

struct calltree_node {
    uint32_t parent;
    uint32_t label;              /* string id */
    uint32_t first, child_count; /* children: nodes[first .. first + child_count) */
    uint8_t type;                /* the frame type with most of the total weight */
    uint64_t self, total;        /* weights */
    uint32_t self_samples, total_samples;
    double self_effect, total_effect; /* design effects, as in struct stats_figure */
};

struct calltree {
    struct calltree_node *nodes;
    uint32_t count;
    uint32_t *of_stack; /* by node of the profile's trie: its node in this tree, 0 = none; NULL with by_thread */
};

/* Builds the tree. by_thread: the root's children are the threads, by name. Returns 0, -ENOMEM, or -EFBIG beyond four million nodes. */
int calltree_build(struct calltree *t, const struct profile *p, bool by_thread);
/* Sets the design effects of the nodes, which are 1 initially. In a tree by_thread they stay 1. `order` belongs to the tree's profile.
 * Returns 0 or -ENOMEM. */
int calltree_add_effects(struct calltree *t, const struct successive_order *order);
void calltree_deinit(struct calltree *t);

#endif
