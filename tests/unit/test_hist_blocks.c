/*
 * The test of candor hist compare on simulated runs: false alarms at most as often as it says, also if the intervals of a run depend on
 * each other or a few stalls have all slow values; differences are found; Holm's procedure.
 * tier: default
 * timeout: 200
 */
#include "../tap.h"

#include "../draws.h"
#include "cli/hist/blocks.h"

#include <math.h>

enum { PIECES = 64, VALUES = 1000, RUNS = 600 };

/* Fills a run. base: the share above the threshold without stalls; dependence: of an interval on the one before; stalls: how often an
 * interval has half of its values above. */
static void simulate(struct block *run, double base, double dependence, double stalls)
{
    double level = normal();
    for (int i = 0; i < PIECES; i++) {
        level = dependence * level + sqrt(1 - dependence * dependence) * normal();
        double share = uniform() < stalls ? 0.5 : base * exp(0.8 * level);
        run[i] = (struct block){fmin(poisson(share * VALUES), VALUES), VALUES};
    }
}

static int alarms(double other, double dependence, double stalls)
{
    struct block a[PIECES], b[PIECES];
    int n = 0;
    for (int i = 0; i < RUNS; i++) {
        simulate(a, 0.01, dependence, stalls);
        simulate(b, other, dependence, stalls);
        n += blocks_test(a, PIECES, b, PIECES) <= 0.05;
    }
    return n;
}

/* 30 alarms are expected at the level of 5 %; more than 55 have a probability below 1e-5. */
static void check_alarms(const char *what, double dependence, double stalls)
{
    int n = alarms(0.01, dependence, stalls);
    tap_note("%s: %d alarms in %d comparisons", what, n, RUNS);
    tap_ok(n <= 55, "%s: no more false alarms than the level says", what);
}

static void check_limits(void)
{
    struct block none[PIECES] = {{0, 0}}, same[PIECES], stall[PIECES];
    for (int i = 0; i < PIECES; i++) {
        none[i] = (struct block){0, VALUES};
        same[i] = (struct block){10, VALUES};
        stall[i] = (struct block){i == 20 ? 500 : 10, VALUES};
    }
    tap_ok(blocks_test(none, PIECES, none, PIECES) == 1, "nothing above the threshold: 1");
    tap_ok(blocks_test(same, PIECES, same, PIECES) == 1, "equal runs: 1");
    tap_ok(blocks_test(same, PIECES, stall, PIECES) > 0.3, "one stall is no evidence, however many values it has");
    tap_ok(blocks_test(same, BLOCKS_LEAST - 1, same, PIECES) < 0, "too short: not tested");
    tap_ok(blocks_test(none, PIECES, same, PIECES) <= 2.0 / (BLOCKS_ASSIGNMENTS + 1), "none beside some in every block");
}

static void check_correction(void)
{
    double p[] = {0.03, -1, 0.01, 0.04, 0.9};
    blocks_correct(p, 5); /* sorted: 0.01 x 4, 0.03 x 3, 0.04 x 2 (not below the one before), 0.9 */
    tap_ok(fabs(p[2] - 0.04) < 1e-12 && fabs(p[0] - 0.09) < 1e-12 && fabs(p[3] - 0.09) < 1e-12 && fabs(p[4] - 0.9) < 1e-12 && p[1] == -1,
           "Holm's procedure");
}

int main(void)
{
    check_limits();
    check_correction();
    check_alarms("independent intervals", 0, 0);
    check_alarms("intervals that depend on each other", 0.6, 0);
    check_alarms("stalls", 0, 0.05);
    int found = alarms(0.02, 0, 0);
    tap_note("twice as many values above: found in %d of %d", found, RUNS);
    tap_ok(found > RUNS * 0.95, "a difference is found");
    return tap_done();
}
