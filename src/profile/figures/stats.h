/* Where the time goes, and how certain that is: self and total per method, line and thread with 95 % intervals.
 * docs/internals/sampling-math.md describes the estimator.
 *
 * `self` is the weight of the samples with the method at the leaf, `total` of those with it anywhere in the stack, once per
 * sample however often it recurses. Shares refer to the weight of all samples, including those without a stack.
 */
#ifndef CANDOR_PROFILE_FIGURES_STATS_H
#define CANDOR_PROFILE_FIGURES_STATS_H

#include "profile/figures/successive.h"
#include "profile/profile.h"

struct interval {
    double low, high;
};

/* Wilson's 95 % interval for a share seen in n (effective) samples; [0, 1] when n is 0. share is in [0, 1]. */
struct interval stats_wilson(double share, double n);
/* The same of another confidence: z standard deviations to each side. */
struct interval stats_wilson_at(double share, double n, double z);
/* Kish's effective sample size, (sum w)^2 / sum w^2; 0 without weight. n samples of one weight w add n w^2 to the sum of squares. */
double stats_effective_size(double sum, double sum_of_squares);
/* The effective size of the profile's samples, on which all intervals are based, wherever they are shown. */
double stats_effective_samples(const struct profile *p);

/* The share of the weight whose innermost frame outside the kernel is approximate: its line and its inlined method may be wrong. 0
 * without weight. */
double stats_approximate_share(const struct profile *p);

struct stats_figure {
    uint64_t weight;
    uint32_t samples;
    double share;
    double effect;            /* its variance, as a multiple of that of independent draws (successive.h) */
    struct interval interval; /* of the share */
};

struct stats_row {
    uint32_t label; /* string id; for a thread its id, for a frame type that */
    int32_t line;   /* of line rows; 0 = unknown */
    struct stats_figure self, total;
    uint64_t by_type[PROFILE_TYPES]; /* the weight of total, by the type of the innermost frame of each sample */
};

/* The frame type with most of the weight. */
uint8_t stats_type(const struct stats_row *row);

struct stats_table {
    struct stats_row *rows; /* largest self first, then largest total, then by label */
    uint32_t count, cap;
};

struct stats {
    uint64_t weight;
    uint32_t samples;
    double effective;                            /* sample size by the weights; by a figure's effect it is less or more */
    struct stats_table methods, lines, threads;  /* of threads only `self` is meant */
    struct stats_table classes, packages, types; /* by stats_compute_groups; native code's class, and package, is its library */
    struct stats_table labels; /* by stats_compute_label: a row's label is the value, 0 of the samples without one; only `self` is meant */
};

/* 0 or -ENOMEM. */
int stats_compute(struct stats *s, const struct profile *p);
/* The same for a caller that already has the order. */
int stats_compute_ordered(struct stats *s, const struct successive_order *order);
/* The tables that group methods, after stats_compute. 0 or -ENOMEM. */
int stats_compute_groups(struct stats *s, const struct successive_order *order);
/* The table by the value of the label with that key; as above. If a sample has several, the last counts. */
int stats_compute_label(struct stats *s, const struct successive_order *order, const char *key);
void stats_deinit(struct stats *s);

enum stats_order { STATS_BY_SELF, STATS_BY_TOTAL };
void stats_sort(struct stats_table *table, const struct profile *p, enum stats_order order);

#endif
