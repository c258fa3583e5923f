/* The nodes of a flame graph page: a profile's call tree, or the call trees of two profiles merged by name.
 *
 *   page_tree_init -> page_tree_add (after) -> [ page_tree_add (before) ] -> page_tree_settle -> read -> page_tree_deinit
 *
 * Functions return 0 or -ENOMEM. */
#ifndef CANDOR_FORMAT_PAGE_PAGE_TREE_H
#define CANDOR_FORMAT_PAGE_PAGE_TREE_H

#include "profile/figures/calltree.h"

#include "base/map.h"
#include "base/strtab.h"

enum page_side { PAGE_AFTER, PAGE_BEFORE, PAGE_SIDES };

struct page_node {
    uint32_t parent;
    uint32_t name; /* index of `names` */
    uint8_t type;
    uint64_t self[PAGE_SIDES];
    double self_effect, total_effect;
};

struct page_tree {
    struct strtab names; /* name 0 is empty and belongs to the root */
    struct page_node *nodes;
    uint32_t count, cap;
    uint64_t total[PAGE_SIDES];
    struct map children; /* (parent, name) -> node */
};

int page_tree_init(struct page_tree *t);
void page_tree_deinit(struct page_tree *t);
/* Adds the weights of one side. The nodes of the tree that is added first keep their numbers until page_tree_settle. */
int page_tree_add(struct page_tree *t, enum page_side side, const struct profile *p, const struct calltree *tree);
/* Numbers the nodes level by level. Siblings keep their order, and nodes that are only in the tree added second come last. */
int page_tree_settle(struct page_tree *t);

#endif
