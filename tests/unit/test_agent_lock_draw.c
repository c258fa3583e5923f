/* Which waits are recorded: the weights add up to the time that was waited, whatever the order of the waits, and the rate stays within
 * its limit.
 * tier: quick
 * timeout: 60
 *
 * If a place has a part of each of N strata, its weight is a sum of N independent draws, with a standard error of sqrt(N p (1-p))
 * strata. The bounds are 5 standard errors: a false alarm in 5.7e-7 of the comparisons, and there are ten. */
#include "../tap.h"

#include "agent/collect/lock/lock_pace.h"
#include "agent/hot/calls/lock_draw.h"
#include "agent/hot/signal/handler.h"
#include "base/time_units.h"

#include <inttypes.h>
#include <math.h>

enum { STRATA = 100000 };

static void test_exact(void)
{
    struct lock_draw d = {.random = 1};
    bool all = true;
    for (uint64_t wait = NS_PER_MS; wait < 100 * NS_PER_MS; wait += 77777)
        all &= lock_draw(&d, wait, NS_PER_MS) == wait;
    tap_ok(all && !d.stratum, "waits as long as the threshold weigh what they took, and touch no stratum");
    tap_ok(lock_draw(&d, 17, 0) == 17 && lock_draw(&d, 0, 0) == 0, "with a threshold of 0 each does");
    tap_ok(!lock_draw(&d, 0, NS_PER_MS), "a wait of no time weighs nothing");
}

/* Two places wait by turns, together as long as a stratum. So the program is in step with the strata, and a point at a fixed distance
 * would always meet the same place. */
static void test_in_step(double share)
{
    struct lock_draw d = {.random = 4711};
    uint64_t a = (uint64_t)(share * NS_PER_MS), weights[2] = {0};
    for (int i = 0; i < STRATA; i++) {
        weights[0] += lock_draw(&d, a, NS_PER_MS);
        weights[1] += lock_draw(&d, NS_PER_MS - a, NS_PER_MS);
    }
    double p = (double)a / NS_PER_MS, error = sqrt(p * (1 - p) / STRATA), found = (double)weights[0] / NS_PER_MS / STRATA;
    tap_ok(fabs(found - p) <= 5 * error, "a place with %.3f of the waiting gets %.4f of it, standard error %.4f", share, found, error);
    tap_ok(weights[0] + weights[1] == (uint64_t)STRATA * NS_PER_MS, "and both together all of it");
}

/* Waits of all lengths at two places, and a threshold that changes. Returns the largest error of the sum, in thresholds. */
static void test_moving(uint64_t seed)
{
    struct lock_draw d = {.random = seed};
    uint64_t random = seed * 3 + 1, truth[2] = {0}, weights[2] = {0}, threshold = NS_PER_MS;
    const uint64_t most = 16 * NS_PER_MS;
    double worst = 0;
    for (int i = 0; i < STRATA; i++) {
        if (!(i % 1000))
            threshold = NS_PER_MS << handler_random(&random) % 5;
        int place = handler_random(&random) % 4 == 0;
        uint64_t wait = handler_random(&random) % (2 * NS_PER_MS);
        weights[place] += lock_draw(&d, wait, threshold);
        truth[place] += wait;
        double off = fabs((double)(weights[0] + weights[1]) - (double)(truth[0] + truth[1]));
        worst = fmax(worst, off / most);
    }
    /* The share of a place in a stratum is off by half a stratum at most, as a standard error. */
    double error = 0.5 * sqrt((double)most * (double)(truth[0] + truth[1] + most)) / (double)truth[1];
    double found = (double)weights[1] / (double)truth[1];
    tap_ok(worst <= 1, "all waits together are never off by more than one threshold: %.3f of the highest", worst);
    tap_ok(fabs(found - 1) <= 5 * error, "a place with a quarter of them: %.4f of the truth, standard error below %.4f", found, error);
}

/* Returns the seconds until waits of `wait` ns, this many a second, are recorded at no more than 1.2 times the rate. */
static int seconds_to_hold(struct lock_pace *p, double per_second, uint64_t wait, uint64_t *now, double *samples)
{
    for (int i = 0; i < 100 * 20; i++) {
        double chance = wait >= p->threshold ? 1 : (double)wait / (double)p->threshold;
        *now += 50 * NS_PER_MS;
        *samples += per_second * chance / 20;
        lock_pace_next(p, *now, (uint64_t)*samples);
        if (per_second * fmin(1, (double)wait / (double)p->threshold) <= 1.25 * (double)p->rate)
            return i / 20;
    }
    return 100;
}

static void test_pace(void)
{
    struct lock_pace p;
    uint64_t now = 1;
    double samples = 0;
    lock_pace_begin(&p, 500, 0, now);
    int took = seconds_to_hold(&p, 200000, NS_PER_MS / 10, &now, &samples);
    tap_ok(took <= 3 && p.threshold > 0, "200,000 waits a second: held after %d s, threshold %" PRIu64 " ns", took, p.threshold);
    tap_ok(samples < 200000, "at the price of %.0f samples", samples);
    for (int i = 0; i < 60; i++)
        lock_pace_next(&p, now += 1000 * NS_PER_MS, (uint64_t)samples);
    tap_ok(p.threshold == 0, "a calm program has the threshold that was requested again");
    lock_pace_begin(&p, 500, NS_PER_MS, now);
    for (int i = 0; i < 10; i++)
        lock_pace_next(&p, now += 1000 * NS_PER_MS, 400 * ((uint64_t)i + 1));
    tap_ok(p.threshold == NS_PER_MS, "below the rate it stays what was requested");
}

int main(void)
{
    test_exact();
    test_in_step(0.3);
    test_in_step(0.999);
    for (uint64_t seed = 1; seed <= 4; seed++)
        test_moving(seed);
    test_pace();
    return tap_done();
}
