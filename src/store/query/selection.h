/* Converts rows of one dictionary into samples of a profile, for select_profile.c. */
#ifndef CANDOR_STORE_QUERY_SELECTION_H
#define CANDOR_STORE_QUERY_SELECTION_H

#include "profile/figures/method_sums.h"
#include "profile/prune.h"

struct selected_row {
    int64_t second;
    uint64_t weight;
    uint32_t stack, count, thread, outcome, context;
    uint8_t state;
};

/* Self and total weight of each method, over all rows. */
struct selection_methods {
    struct method_sum *list;
    uint32_t count, cap;
    struct map places; /* by label of the method */
};

struct selection {
    struct profile *p;
    struct selected_row *rows;
    uint32_t count, cap;
    uint32_t *row_of_stack; /* by stack: place in `rows` plus 1, 0 = none; NULL = rows are not added up */
    uint32_t stacks;
    bool add_up;
    bool labels;            /* samples get their labels */
    double squares;         /* if rows are added up: the sum of weight^2 / count over all of them */
    struct map row_of_work; /* (stack, context) -> place in `rows` plus 1: for rows that are added up with their labels */
    uint32_t keep;          /* how many of a dictionary's heaviest nodes are converted; 0 = all */
    struct pruned *pruned;
    struct selection_methods *methods; /* if `keep` is set: methods are summed up before any node is left out */
};

/* Adds the rows to the profile. Leaves out entries of the dictionary that no row uses, and nodes beyond `keep`. The result is that of
 * profile_prune, but the profile never contains these nodes. Returns 0, -ENOMEM, or -ERANGE as profile_add_sample does. */
int selection_convert(struct selection *l, const struct profile *from);

#endif
