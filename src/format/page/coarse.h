/* A coarse copy of a page's nodes and slices, which the page reads first and shows until it has read everything. The lightest nodes
 * become part of their callers, so all weights add up to the same sums.
 *
 *   coarse_init -> read -> coarse_deinit */
#ifndef CANDOR_FORMAT_PAGE_COARSE_H
#define CANDOR_FORMAT_PAGE_COARSE_H

#include "format/page/page_tree.h"
#include "format/page/slices.h"

struct coarse {
    struct page_node *nodes; /* ordered like the nodes of the page */
    uint32_t count;
    struct slice *slices; /* NULL = the page has none */
    uint32_t slice_count;
};

/* Whether a page is so large that it needs a coarse copy. */
bool coarse_is_needed(const struct page_tree *tree, const struct slices *slices);
/* Makes the copy: the heaviest nodes, and slices of these or, if there would be too many slices, of fewer of them. Returns 0 or -ENOMEM. */
int coarse_init(struct coarse *c, const struct page_tree *tree, const struct slices *slices);
void coarse_deinit(struct coarse *c);

#endif
