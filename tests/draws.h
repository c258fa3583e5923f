/* Random draws for simulated services, the same ones in each run: for tests of statistics, and for bench/changes. */
#ifndef CANDOR_TESTS_DRAWS_H
#define CANDOR_TESTS_DRAWS_H

#include <math.h>
#include <stdint.h>

/* The state of the generator (Marsaglia's xorshift). It may be set to any number but 0. */
static uint64_t draws_state = 88172645463325252ULL;

static double uniform(void)
{
    draws_state ^= draws_state << 13;
    draws_state ^= draws_state >> 7;
    draws_state ^= draws_state << 17;
    return ((double)(draws_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Marsaglia and Tsang's method; shape at least 1. Mean 1. */
__attribute__((unused)) static double gamma_effect(double variation)
{
    double shape = 1 / (variation * variation), d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    if (variation <= 0)
        return 1;
    for (;;) {
        double x = normal(), v = 1 + c * x;
        v = v * v * v;
        if (v > 0 && log(uniform()) < x * x / 2 + d - d * v + d * log(v))
            return d * v / shape;
    }
}

static double poisson(double mean)
{
    if (mean > 500)
        return fmax(0, floor(mean + sqrt(mean) * normal() + 0.5));
    double limit = exp(-mean), product = uniform(), n = 0;
    for (; product > limit; n++)
        product *= uniform();
    return n;
}

#endif
