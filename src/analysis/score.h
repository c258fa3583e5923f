/* Computes how much a problem matters, and how certain that is. */
#ifndef CANDOR_ANALYSIS_SCORE_H
#define CANDOR_ANALYSIS_SCORE_H

#include <stdint.h>

/* Scores are from 0 to 100. From SCORE_WARNING on a finding is a warning, and from SCORE_INFO on it is information. Below SCORE_INFO it
 * is not reported. */
#define SCORE_INFO    25.0
#define SCORE_WARNING 75.0
#define SCORE_CERTAIN 100.0 /* for a problem that is serious at any extent, such as a deadlock */

/* An estimate with its 95 % interval. {0} = unknown. */
struct amount {
    double value, low, high;
};

/* Sets the number of tests on the same data (initially 1). Each interval then becomes wider, so that all of them together miss the true
 * value no more often than a single one would. Rules need not consider this. */
void score_looks(uint32_t looks);

/* Returns 100 (1 - 4^(-v / warning)): 0 for v = 0, SCORE_INFO for v = 0.21 * warning, SCORE_WARNING for v = warning, and never 100. */
double score_saturate(double v, double warning);

struct amount amount_exact(double v);
/* Returns the amount of a quantity of 0 or more, from its estimate and the estimate's standard error. */
struct amount amount_normal(double v, double error);
/* Returns the amount of a mean of 0 or more, from n independent values, at least two. It uses Student's t, because few values say little
 * about their spread. */
struct amount amount_mean(double sum, double sum_of_squares, uint32_t n);
/* Returns the amount of the mean number of independent events, from the number that was counted. */
struct amount amount_count(double count);
/* Returns the amount of a share: `part` of `whole` in a sample that has the precision of n independent draws. */
struct amount amount_share(double part, double whole, double n);
struct amount amount_scaled(struct amount a, double factor);
/* Rounds an amount for printing. It bounds the value, because a damaged file may add up to anything. */
uint64_t amount_whole(double v);

#endif
