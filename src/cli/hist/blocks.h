/* A test whether two runs differ in the share of values above a threshold, although the values of a run depend on each other: a stall makes
 * many requests slow at once. A file of its own, because it knows nothing of logs, and tests simulate runs for it.
 *
 * The runs are cut into blocks of equal length in time. Two blocks that are far apart hardly depend on each other, however much the values
 * within a block do. So the unit of chance is the block:
 *
 *   1 Blocks become twice as long until neighboring ones are hardly correlated (0.1 at most), or only BLOCKS_LEAST would be left. The
 *     rest of the correlation lowers the statistic.
 *   2 The statistic is the difference of both shares, divided by its standard error, which the differences between blocks give.
 *   3 The blocks of both runs are assigned to the runs anew at random, many times (a permutation test): p is the share of the assignments
 *     with a statistic at least as far from 0. This needs no assumption about the distribution of the shares. A stall that fills one block
 *     of one run is not evidence, because in half of the assignments that block is in the other run. */
#ifndef CANDOR_CLI_HIST_BLOCKS_H
#define CANDOR_CLI_HIST_BLOCKS_H

#include <stdint.h>

enum {
    BLOCKS_LEAST = 8, /* of a run, for a test */
    BLOCKS_MOST = 64, /* more would hardly help */
    BLOCKS_ASSIGNMENTS = 4999
};

/* Values of a piece of time: those above the threshold, and all. */
struct block {
    double above, all;
};

/* Tests runs of `a_count` and `b_count` pieces, in the order of time; the pieces of both have the same length. Returns the two-sided p,
 * at least 1 / (BLOCKS_ASSIGNMENTS + 1); 1 if no value or all values are above; -1 if a run has less than BLOCKS_LEAST pieces. */
double blocks_test(const struct block *a, uint32_t a_count, const struct block *b, uint32_t b_count);
/* Corrects the p-values of several tests by Holm's procedure: the probability that any of them is below a level by chance alone is at
 * most that level. Negative values are no tests, and stay. */
void blocks_correct(double *p, uint32_t count);

#endif
