/* Rows of one dictionary on their way to a profile; the inside of select_profile.c. */
#ifndef CANDOR_STORE_QUERY_SELECTION_H
#define CANDOR_STORE_QUERY_SELECTION_H

#include "profile/figures/method_sums.h"
#include "profile/prune.h"

struct selected_row {
    int64_t second;
    uint64_t weight;
    uint32_t stack, count, thread, outcome;
    uint8_t state;
};

/* Self and total of each method, of all rows. */
struct selection_methods {
    struct method_sum *list;
    uint32_t count, cap;
    struct map places; /* by label */
};

struct selection {
    struct profile *p;
    struct selected_row *rows;
    uint32_t count, cap;
    uint32_t *row_of_stack; /* plus 1; NULL = rows stay single */
    uint32_t stacks;
    bool add_up;
    uint32_t keep; /* the heaviest nodes of a dictionary that are taken over; 0 = all */
    struct pruned *pruned;
    struct selection_methods *methods; /* with `keep`: these are summed up before anything is left out */
};

/* Adds the rows to the profile. Entries of a dictionary that no row uses are left out, and so are those beyond `keep`: as
 * profile_prune does, but before they cost anything. 0, -ENOMEM, or -ERANGE as in profile_add_sample. */
int selection_convert(struct selection *l, const struct profile *from);

#endif
