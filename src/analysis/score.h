/* How much a problem matters, and how certain that is. */
#ifndef CANDOR_ANALYSIS_SCORE_H
#define CANDOR_ANALYSIS_SCORE_H

#include <stdint.h>

/* 0 to 100: a warning from SCORE_WARNING on, worth knowing from SCORE_INFO on, and nothing below. */
#define SCORE_INFO    25.0
#define SCORE_WARNING 75.0
#define SCORE_CERTAIN 100.0 /* a problem of any extent: a deadlock */

/* An estimate with its 95 % interval. {0} = not known. */
struct amount {
    double value, low, high;
};

/* How many looks at the same data are made: each interval is then so wide that, of all of them, no more miss than of one. 1 in the
 * beginning; a rule does not ask for it. */
void score_looks(uint32_t looks);

/* 100 (1 - 4^(-v / warning)): 0 at 0, SCORE_INFO at 0.21 of `warning`, SCORE_WARNING there, never 100. */
double score_saturate(double v, double warning);

struct amount amount_exact(double v);
/* Of a quantity of 0 or more whose estimate has this standard error. */
struct amount amount_normal(double v, double error);
/* For a mean of 0 or more, of n independent values, at least two: by Student's t, because few values say little about their
 * spread. */
struct amount amount_mean(double sum, double sum_of_squares, uint32_t n);
/* For the mean number of independent events, of which this many came. */
struct amount amount_count(double count);
/* So much of `whole` in a sample that carries as much as n independent draws. */
struct amount amount_share(double part, double whole, double n);
struct amount amount_scaled(struct amount a, double factor);
/* For printing: what a damaged file adds up to may be beyond all bounds. */
uint64_t amount_whole(double v);

#endif
