/* The data of a flame graph page, for everything that web/README.md describes, as JSON. */
#ifndef CANDOR_FORMAT_PAGE_PAGE_H
#define CANDOR_FORMAT_PAGE_PAGE_H

#include "format/page/page_tree.h"
#include "format/page/slices.h"
#include "profile/figures/method_sums.h"
#include "profile/figures/stats.h"

#include <stdio.h>

/* What a comparison found of a method: the 95 % intervals of the changes of its shares, and whether they are more than chance. */
struct page_change {
    const char *name;
    struct interval self, total;
    bool self_sure, total_sure;
};

/* A stretch of a method's machine code, as text; a method may have several. */
struct page_code {
    char *name, *text;
};

/* One of the two profiles of a comparison. */
struct page_profile {
    const struct profile *profile;
    const char *title;
};

struct page {
    const struct profile *profile;
    const char *title;
    const struct page_profile *before; /* NULL: no comparison */
    const struct page_change *changes;
    size_t change_count;
    const struct page_code *code;
    size_t code_count;
    const struct method_sum *sums; /* of all methods, if the stacks are pruned; NULL: the stacks have them */
    size_t sum_count;
    bool threads;
    struct page_tree tree;
    struct stats stats;   /* none in a comparison */
    struct slices slices; /* none in a comparison */
};

/* 0 or -ENOMEM, with a part written; the tree's names may grow. Write errors stay in the stream. */
int page_write(struct page *page, FILE *out);

#endif
