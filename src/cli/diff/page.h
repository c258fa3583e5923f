/* Writes the page of `diff --output`: the flame graphs of both sides, each the sum of its runs, and the result of the comparison. */
#ifndef CANDOR_CLI_DIFF_PAGE_H
#define CANDOR_CLI_DIFF_PAGE_H

#include "profile/figures/diff.h"

struct diff_page {
    struct profile sides[2]; /* indexed by enum diff_side */
};

int diff_page_init(struct diff_page *page); /* 0 or -ENOMEM */
void diff_page_deinit(struct diff_page *page);
/* Adds a profile to one side. Returns 0 or a negative code. */
int diff_page_add(struct diff_page *page, enum diff_side side, const struct profile *p);
/* Writes the page. files: A B A2 B2 ..., which give the sides their names. Returns a status after printing any error. */
int diff_page_write(const struct diff_page *page, const struct diff *d, char *const *files, int count, const char *path);

#endif
