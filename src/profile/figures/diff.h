/* Compares two sides of recordings, A and B, and tests whether the differences are more than chance. For each method it compares the
 * self share and the total share or, with `absolute`, the time per second.
 *
 *   diff_init -> diff_add for each recording, of either side -> diff_compute -> read the rows -> diff_deinit
 *
 * The standard errors are those of the report's intervals (stats.h). Programs also differ from run to run. With several runs on each
 * side, the differences between these runs show how much; with one run, slow variation within the run is used. A difference is reported
 * if the rate of false differences among those reported stays below `level` (significance.h). Derivation:
 * docs/internals/sampling-math.md. */
#ifndef CANDOR_PROFILE_FIGURES_DIFF_H
#define CANDOR_PROFILE_FIGURES_DIFF_H

#include "profile/figures/stats.h"
#include "profile/profile.h"

enum diff_side { DIFF_A, DIFF_B };
enum diff_change { DIFF_SAME, DIFF_NEW, DIFF_GONE, DIFF_GREW, DIFF_SHRANK };

struct diff_figure {
    double a, b;              /* shares, or times per second */
    struct interval interval; /* the 95 % interval of b - a */
    double p;                 /* the p-value of the test; 1 if there is too little to test */
    double q;                 /* the smallest rate of false discoveries at which this difference counts as one */
    double detectable;        /* the least growth, from a, that four of five such comparisons would detect */
    bool tested;
    enum diff_change change; /* DIFF_SAME if q is above the level */
};

struct diff_row {
    uint32_t name; /* string id in `names` */
    uint32_t samples_a, samples_b;
    struct diff_figure self, total;
};

struct diff {
    double level; /* set by the caller: 0.01 = one in a hundred of the reported differences may be false */
    bool absolute;

    struct strtab names;
    struct diff_row *rows; /* the largest change first: by self, then by total */
    uint32_t count, cap;
    uint32_t runs[2];    /* number of runs on each side */
    uint32_t samples[2]; /* by enum diff_side */
    double weight[2], seconds[2], effective[2];
    uint32_t tests;    /* number of tests */
    double degrees;    /* degrees of freedom of the run-to-run variance; 0 = the variance is that of sampling alone */
    double dispersion; /* the variance between runs, as a multiple of the sampling variance: the median over the methods */

    struct map row_of; /* string id in `names` -> row */
    struct diff_run *run_list;
    uint32_t run_count, run_cap;
};

int diff_init(struct diff *d); /* returns 0 or -ENOMEM */
void diff_deinit(struct diff *d);
/* Adds a recording to a side. The profile is not needed afterwards. Returns 0 or -ENOMEM. */
int diff_add(struct diff *d, enum diff_side side, const struct profile *p);
/* Computes the rows. Each side must have at least one recording. Returns 0 or -ENOMEM. */
int diff_compute(struct diff *d);
/* Returns the smallest growth that would be detected for a method with this share, in points of share, if the method's samples are
 * independent. */
double diff_detectable(const struct diff *d, double share);
const char *diff_name(const struct diff *d, const struct diff_row *row);
const char *diff_change_name(enum diff_change change); /* "new", "gone", "grew", "shrank", "same" */

#endif
