/* Compares one figure of two sides, such as the share of a method before and after a change. diff.c and changes.c find out how much
 * runs, or hosts, differ; this file tests, with that dispersion, whether the sides differ. Derivation: docs/internals/sampling-math.md. */
#ifndef CANDOR_PROFILE_FIGURES_COMPARE_H
#define CANDOR_PROFILE_FIGURES_COMPARE_H

#include "profile/figures/stats.h"

/* The standard deviations to each side of a 95 % interval. */
static const double compare_z95 = 1.959963984540054;

/* A figure on one side. The compared value is the share times `unit`. */
struct compare_side {
    double share, size; /* the sample size at which independent draws of this share would have the same variance */
    double slow;        /* the variance of the share between blocks of time; 0 = unknown */
    double unit;
};

/* Returns the share of both sides together. */
double compare_pooled(const struct compare_side *a, const struct compare_side *b);
/* Returns the sampling variance of b - a, if both sides had the pooled share. */
double compare_sampling_variance(const struct compare_side *a, const struct compare_side *b);
/* Sorts the dispersions of all figures, and returns their median, but at least 1. n may be 0. */
double compare_median(double *dispersions, uint32_t n);
/* Returns a figure's dispersion `own`, which has `degrees` degrees of freedom, moderated by the median of all figures' dispersions, because
 * few runs or hosts tell little. */
double compare_moderated(double own, double degrees, double median);
/* Returns the dispersion that a test uses: the moderated one, but never less than `own`, nor than 1, which is sampling alone. The test then
 * has compare_degrees(degrees). */
double compare_dispersion(double own, double degrees, double median);
double compare_degrees(double degrees);
/* Whether there are enough samples for a test: if all of them were on one side, they could show a difference. */
bool compare_is_enough(const struct compare_side *a, const struct compare_side *b, double dispersion);
/* Returns the two-sided p-value. degrees: those of the dispersion; 0 = it is known. rest: shares above a half may be tested by the rest. */
double compare_test(const struct compare_side *a, const struct compare_side *b, double dispersion, double degrees, bool rest);
/* Returns Newcombe's interval for b - a, from Wilson's intervals of both sides, at z standard deviations. */
struct interval compare_interval(const struct compare_side *a, const struct compare_side *b, double dispersion, double z);
/* Returns the variance of a sum over blocks of time, from their deviations: the sum of the squares, of the products of neighbors, and of
 * the products of blocks two apart. If neighbors are similar, groups of two and three blocks give more, and the largest estimate is
 * used. */
double compare_blocks(double squares, double neighbors, double second_neighbors);

#endif
