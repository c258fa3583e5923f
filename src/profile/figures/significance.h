/* Tests whether a difference is more than chance, for `candor diff`. Derivation: docs/internals/sampling-math.md. */
#ifndef CANDOR_PROFILE_FIGURES_SIGNIFICANCE_H
#define CANDOR_PROFILE_FIGURES_SIGNIFICANCE_H

#include <stdint.h>

/* Returns the regularized incomplete beta function, 0 <= x <= 1, a and b above 0. */
double significance_beta(double x, double a, double b);
/* Returns the z that a normal variable exceeds with probability p, 0 < p <= 1/2. */
double significance_normal(double p);
/* Returns the value that Student's t exceeds with probability p; df <= 0: normal. */
double significance_student(double p, double df);
/* Returns the two-sided probability of a t at least as far from 0; df <= 0: normal. */
double significance_student_p(double t, double df);

/* Returns the two-sided p-value for two counts: the probability that the counts differ at least this much if the events are equally
 * frequent in both. Counts and exposures need not be whole numbers. 1 if both counts are 0. */
double significance_counts(double a, double b, double exposure_a, double exposure_b);

/* Applies the procedure of Benjamini and Hochberg: each p becomes the smallest rate of false discoveries at which it counts as a
 * discovery. */
void significance_adjust(double *p, uint32_t count, uint32_t *room); /* room: space for `count` indices */

#endif
