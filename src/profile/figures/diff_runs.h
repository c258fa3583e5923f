/* The data that diff takes from each recording; the inside of diff.c. */
#ifndef CANDOR_PROFILE_FIGURES_DIFF_RUNS_H
#define CANDOR_PROFILE_FIGURES_DIFF_RUNS_H

#include "profile/profile.h"

/* One figure of one method in one run. */
struct diff_part {
    double weight;
    double size; /* the sample size that its share rests on; 0 = as the run's, as the method is not in it */
    double slow; /* the variance of its share by what comes and goes between blocks of time; 0 = unknown */
};

struct diff_cell {
    struct diff_part self, total;
};

struct diff_run {
    unsigned side; /* enum diff_side */
    double weight, seconds, effective;
    struct diff_cell *cells; /* by row; those of rows that came later are missing */
    uint32_t count;
};

/* Blocks of time that a run is cut into. */
enum { DIFF_BLOCKS = 16 };

/* Sets `slow` of all cells of a run from its profile. row_of_node[node] is the row of a node's method, plus 1. absolute: for the time
 * per second, in units of the run's whole weight, instead of for the share. 0 or -ENOMEM. */
int diff_blocks(struct diff_run *run, const struct profile *p, const uint32_t *row_of_node, bool absolute);

#endif
