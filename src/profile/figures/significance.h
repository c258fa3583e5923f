/* Whether a difference is more than chance: the tests of `candor diff`. Derivation: docs/internals/sampling-math.md. */
#ifndef CANDOR_PROFILE_FIGURES_SIGNIFICANCE_H
#define CANDOR_PROFILE_FIGURES_SIGNIFICANCE_H

#include <stdint.h>

/* The regularised incomplete beta function, 0 <= x <= 1, a and b above 0. */
double significance_beta(double x, double a, double b);
/* z such that a normal variable exceeds it with probability p, 0 < p <= 1/2. */
double significance_normal(double p);
/* The same of Student's t; df <= 0: normal. */
double significance_student(double p, double df);
/* The probability, on both sides, of a t at least as far out; df <= 0: normal. */
double significance_student_p(double t, double df);

/* The two-sided p-value for two counts: the probability of counts so far apart if the events are equally frequent in both. Counts and
 * exposures need not be whole numbers. 1 if both counts are 0. */
double significance_counts(double a, double b, double exposure_a, double exposure_b);

/* The procedure of Benjamini and Hochberg: each p becomes the smallest rate of false discoveries at which it counts as a discovery. */
void significance_adjust(double *p, uint32_t count, uint32_t *room); /* room for as many indices */

#endif
