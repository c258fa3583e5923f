/* The data that the diff keeps from each recording; used only by diff.c. */
#ifndef CANDOR_PROFILE_FIGURES_DIFF_RUNS_H
#define CANDOR_PROFILE_FIGURES_DIFF_RUNS_H

#include "profile/profile.h"

/* One figure of one method in one run. */
struct diff_part {
    double weight;
    double size; /* the sample size of its share; 0 = the run's sample size, because the run does not have the method */
    double slow; /* the variance of its share between blocks of time; 0 = unknown */
};

struct diff_cell {
    struct diff_part self, total;
};

struct diff_run {
    unsigned side; /* enum diff_side */
    double weight, seconds, effective;
    struct diff_cell *cells; /* by row; rows that were added later have no cell */
    uint32_t count;
};

/* The number of blocks of time into which a run is cut. */
enum { DIFF_BLOCKS = 16 };

/* Sets `slow` of all cells of a run from the run's profile. row_of_node[node] is the row of a node's method, plus 1. absolute: `slow` is
 * the variance of the time per second, in units of the run's whole weight, instead of the variance of the share. Returns 0 or -ENOMEM. */
int diff_blocks(struct diff_run *run, const struct profile *p, const uint32_t *row_of_node, bool absolute);

#endif
