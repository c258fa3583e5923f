/* The differences between two sides of recordings, A and B, and whether they are more than chance: for each method its self
 * share and its total share, or with `absolute` its time per second.
 *
 *   diff_init -> diff_add for each recording, of either side -> diff_compute -> read the rows -> diff_deinit
 *
 * The standard errors are those of the report's intervals (stats.h). Programs also differ from run to run: with several runs on
 * each side, the differences between these show how much; with one, slow variation within it is used. A difference is reported
 * if the rate of false ones among those reported stays below `level` (significance.h). Derivation:
 * docs/internals/sampling-math.md. */
#ifndef CANDOR_PROFILE_FIGURES_DIFF_H
#define CANDOR_PROFILE_FIGURES_DIFF_H

#include "profile/figures/stats.h"
#include "profile/profile.h"

enum diff_side { DIFF_A, DIFF_B };
enum diff_change { DIFF_SAME, DIFF_NEW, DIFF_GONE, DIFF_GREW, DIFF_SHRANK };

struct diff_figure {
    double a, b;              /* shares, or times per second */
    struct interval interval; /* of b - a, 95 % */
    double p;                 /* of the test; 1 where there is too little to test */
    double q;                 /* the rate of false discoveries at which it is one */
    double detectable;        /* the least growth, from a, that would be seen in four of five such comparisons */
    bool tested;
    enum diff_change change; /* DIFF_SAME where q is above the level */
};

struct diff_row {
    uint32_t name; /* string id of the diff */
    uint32_t samples_a, samples_b;
    struct diff_figure self, total;
};

struct diff {
    double level; /* to be set: 0.01 = of the differences named one in a hundred may be none */
    bool absolute;

    struct strtab names;
    struct diff_row *rows; /* the largest change first: of self, then of total */
    uint32_t count, cap;
    uint32_t runs[2];    /* of each side */
    uint32_t samples[2]; /* by enum diff_side */
    double weight[2], seconds[2], effective[2];
    uint32_t tests;    /* how many were made */
    double degrees;    /* of freedom, of the run-to-run variance; 0 = sampling alone */
    double dispersion; /* the variance between runs, in multiples of that of sampling: of the methods' median */

    struct map row_of; /* by name */
    struct diff_run *run_list;
    uint32_t run_count, run_cap;
};

int diff_init(struct diff *d); /* 0 or -ENOMEM */
void diff_deinit(struct diff *d);
/* The profile is not needed afterwards. 0 or -ENOMEM. */
int diff_add(struct diff *d, enum diff_side side, const struct profile *p);
/* With at least one recording on each side. 0 or -ENOMEM. */
int diff_compute(struct diff *d);
/* The smallest growth that would be detected for a method with this share, in points of share, if its samples are independent. */
double diff_detectable(const struct diff *d, double share);
const char *diff_name(const struct diff *d, const struct diff_row *row);
const char *diff_change_name(enum diff_change change); /* "new", "gone", "grew", "shrank", "same" */

#endif
