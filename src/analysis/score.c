#include "analysis/score.h"

#include "profile/figures/significance.h"
#include "profile/figures/stats.h"

#include <math.h>

#define TAIL     0.025             /* the probability on each side of an interval */
#define Z_OF_ONE 1.959963984540054 /* the normal distribution has TAIL beyond this on each side */

static _Thread_local double tail = TAIL, z = Z_OF_ONE;

void score_looks(uint32_t looks)
{
    tail = TAIL / looks;
    z = looks == 1 ? Z_OF_ONE : significance_normal(tail);
}

double score_saturate(double v, double warning)
{
    return v > 0 && warning > 0 ? 100 * (1 - pow(4, -v / warning)) : 0;
}

struct amount amount_exact(double v)
{
    return (struct amount){v, v, v};
}

struct amount amount_normal(double v, double error)
{
    return (struct amount){v, fmax(0, v - z * error), v + z * error};
}

struct amount amount_mean(double sum, double sum_of_squares, uint32_t n)
{
    double mean = sum / n, variance = fmax(0, sum_of_squares - sum * mean) / (n - 1);
    double off = significance_student(tail, n - 1) * sqrt(variance / n);
    return (struct amount){mean, fmax(0, mean - off), mean + off};
}

/* Uses the fact that the square root of a Poisson count has a standard deviation of a half, for any mean. */
struct amount amount_count(double count)
{
    double low = fmax(0, sqrt(count) - z / 2), high = sqrt(count) + z / 2;
    return (struct amount){count, low * low, high * high};
}

struct amount amount_share(double part, double whole, double n)
{
    double share = whole > 0 ? part / whole : 0;
    struct interval i = stats_wilson_at(share, n, z);
    return (struct amount){share, i.low, i.high};
}

uint64_t amount_whole(double v)
{
    static const double most = 4e18;
    return v > 0 ? (uint64_t)fmin(v, most) : 0;
}

struct amount amount_scaled(struct amount a, double factor)
{
    return (struct amount){a.value * factor, a.low * factor, a.high * factor};
}
