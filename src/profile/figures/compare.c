#include "profile/figures/compare.h"

#include "profile/figures/significance.h"

#include <math.h>
#include <stdlib.h>

/* The weight of the median of all figures' dispersions beside a figure's own dispersion, in observations. */
static const double prior_degrees = 4;
/* The smallest number of samples that could show a difference, if all of them were on one side. */
static const double least_samples = 8;

double compare_pooled(const struct compare_side *a, const struct compare_side *b)
{
    double size = a->size + b->size;
    return size > 0 ? (a->share * a->size + b->share * b->size) / size : 0;
}

double compare_sampling_variance(const struct compare_side *a, const struct compare_side *b)
{
    double p = compare_pooled(a, b);
    return p * (1 - p) * (a->unit * a->unit / a->size + b->unit * b->unit / b->size);
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double compare_median(double *dispersions, uint32_t n)
{
    if (n)
        qsort(dispersions, n, sizeof *dispersions, compare_numbers);
    return fmax(1, n ? dispersions[n / 2] : 1);
}

double compare_degrees(double degrees)
{
    return prior_degrees + degrees;
}

double compare_moderated(double own, double degrees, double median)
{
    return (prior_degrees * median + degrees * own) / (prior_degrees + degrees);
}

double compare_dispersion(double own, double degrees, double median)
{
    return fmax(1, fmax(compare_moderated(own, degrees, median), own));
}

bool compare_is_enough(const struct compare_side *a, const struct compare_side *b, double dispersion)
{
    return a->size > 0 && b->size > 0 && compare_pooled(a, b) * (a->size + b->size) / dispersion >= least_samples;
}

/* Tests a difference with counts of a Poisson process that have the variance of the share: p N/(1 - p) events have it. For shares above
 * a half, the complement is tested, because it differs by the same amount. */
double compare_test(const struct compare_side *a, const struct compare_side *b, double dispersion, double degrees, bool may_rest)
{
    double p = compare_pooled(a, b);
    bool rest = may_rest && p > 0.5;
    double scale = 1 / fmax(rest ? p : 1 - p, 1e-3) / dispersion;
    double na = a->size * scale, nb = b->size * scale;
    double ka = (rest ? 1 - a->share : a->share) * na, kb = (rest ? 1 - b->share : b->share) * nb;
    double chance = significance_counts(ka, kb, na / a->unit, nb / b->unit);
    /* The estimate of the variance is uncertain itself. */
    if (degrees > 0 && chance < 1)
        chance = significance_student_p(significance_normal(fmax(chance, 1e-300) / 2), degrees);
    return chance;
}

struct interval compare_interval(const struct compare_side *a, const struct compare_side *b, double dispersion, double z)
{
    struct interval wa = stats_wilson_at(a->share, a->size / dispersion, z), wb = stats_wilson_at(b->share, b->size / dispersion, z);
    double difference = b->share * b->unit - a->share * a->unit;
    double down = hypot((b->share - wb.low) * b->unit, (wa.high - a->share) * a->unit);
    double up = hypot((wb.high - b->share) * b->unit, (a->share - wa.low) * a->unit);
    return (struct interval){difference - down, difference + up};
}

double compare_blocks(double squares, double neighbors, double second_neighbors)
{
    return squares + fmax(0, fmax(neighbors, (4 * neighbors + 2 * second_neighbors) / 3));
}
