/* Writes the data of a flame graph page as JSON. web/README.md describes them. */
#ifndef CANDOR_FORMAT_PAGE_PAGE_H
#define CANDOR_FORMAT_PAGE_PAGE_H

#include "format/page/page_tree.h"
#include "format/page/slices.h"
#include "profile/figures/method_sums.h"
#include "profile/figures/stats.h"
#include "profile/sources/sources.h"

#include <stdio.h>

/* The result of a comparison for one method: the 95 % intervals of the changes of its shares, whether the changes are more than chance,
 * and the least growth that such a comparison detects (diff.h). */
struct page_change {
    const char *name;
    struct interval self, total;
    bool self_sure, total_sure;
    double self_detectable, total_detectable;
};

/* A range of a method's machine code, as text. A method may have several. */
struct page_code {
    char *name, *text;
};

/* What a page may have in addition to the profile. */
struct page_extras {
    const struct page_code *code;
    size_t code_count;
    const struct sources *sources; /* source lines; NULL = none */
};

/* One of the two profiles of a comparison. */
struct page_profile {
    const struct profile *profile;
    const char *title;
};

struct page {
    const struct profile *profile;
    const char *title;
    const struct page_profile *before; /* NULL = this is no comparison */
    const struct page_change *changes;
    size_t change_count;
    struct page_extras extras;
    const struct method_sum *sums; /* the sums of all methods, if the stacks are pruned; NULL = the page can compute them from the stacks */
    size_t sum_count;
    bool threads;
    struct page_tree tree;
    struct stats stats;   /* empty in a comparison */
    struct slices slices; /* empty in a comparison */
};

/* Writes the data. Returns 0, or -ENOMEM with a part written. It may add names to the tree. Write errors stay in the stream. */
int page_write(struct page *page, FILE *out);

#endif
