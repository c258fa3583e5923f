#include "profile/figures/significance.h"

#include <math.h>
#include <stdlib.h>

/* Computes the continued fraction by Lentz's method; it converges for x < (a + 1)/(a + b + 2). */
static double fraction(double x, double a, double b)
{
    static const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m < 10000; m++) {
        for (int odd = 0; odd < 2; odd++) {
            double step =
                odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)) : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 + step * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + step / c;
            c = fabs(c) < tiny ? tiny : c;
            value *= d * c;
        }
        if (fabs(d * c - 1) < 1e-14)
            break;
    }
    return value;
}

double significance_beta(double x, double a, double b)
{
    if (!(x > 0))
        return 0;
    if (!(x < 1))
        return 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * fraction(x, a, b) / a : 1 - front * fraction(1 - x, b, a) / b;
}

/* Returns the value at which the upper tail of the distribution is p. The tail falls from 1/2 at 0. */
static double invert(double p, double df)
{
    double low = 0, high = 1;
    while (significance_student_p(high, df) / 2 > p && high < 1e15)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
        double middle = (low + high) / 2;
        if (significance_student_p(middle, df) / 2 > p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double significance_normal(double p)
{
    return invert(p, 0);
}

double significance_student(double p, double df)
{
    return invert(p, df);
}

double significance_student_p(double t, double df)
{
    if (df <= 0)
        return erfc(fabs(t) / sqrt(2));
    return significance_beta(df / (df + t * t), df / 2, 0.5);
}

/* If the total of both counts is given, the count of one side has a binomial distribution. */
double significance_counts(double a, double b, double exposure_a, double exposure_b)
{
    double x = exposure_b / (exposure_a + exposure_b);
    if (!(a + b > 0) || !(x > 0 && x < 1))
        return 1;
    double at_least = b > 0 ? significance_beta(x, b, a + 1) : 1; /* the probability that side b has b or more */
    double at_most = a > 0 ? significance_beta(1 - x, a, b + 1) : 1;
    return fmin(1, 2 * fmin(at_least, at_most));
}

static int by_p(const void *left, const void *right, void *context)
{
    const double *p = context;
    double a = p[*(const uint32_t *)left], b = p[*(const uint32_t *)right];
    return (a > b) - (a < b);
}

void significance_adjust(double *p, uint32_t count, uint32_t *room)
{
    double least = 1;
    for (uint32_t i = 0; i < count; i++)
        room[i] = i;
    if (count)
        qsort_r(room, count, sizeof *room, by_p, p);
    for (uint32_t rank = count; rank; rank--) {
        double *one = &p[room[rank - 1]];
        least = fmin(least, *one * count / rank);
        *one = least;
    }
}
