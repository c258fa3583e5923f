/* Which threads the event safepoint looks at: each is as likely as any other, none is chosen twice, and the weights add up.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "agent/trigger/tasks/subset.h"
#include "base/time_units.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { COUNT = 150, WANTED = 100, DRAWS = 20000 };

static uint64_t seed = 88172645463325252u;

static void test_few(void)
{
    uint32_t out[WANTED];
    bool all = subset_draw(&seed, WANTED, WANTED, out) == WANTED;
    for (uint32_t i = 0; i < WANTED; i++)
        all = all && out[i] == i;
    tap_ok(all, "all of as many as are wanted, in order");
    tap_ok(subset_draw(&seed, 3, WANTED, out) == 3 && out[0] == 0 && out[2] == 2, "all of fewer");
    tap_ok(subset_draw(&seed, 0, WANTED, out) == 0, "none of none");
    tap_ok(subset_draw(&seed, 1000, 1, out) == 1 && out[0] < 1000, "one of many");
}

/* Five standard errors, for hundreds of figures: together a false alarm in 5,000. But the seed is fixed. */
static void test_uniform(void)
{
    static uint32_t seen[COUNT], pairs[COUNT];
    uint32_t out[WANTED], bad = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
        bool has_first = false;
        uint32_t n = subset_draw(&seed, COUNT, WANTED, out);
        bad += n != WANTED || out[n - 1] >= COUNT;
        for (uint32_t i = 0; i < n; i++) {
            bad += i && out[i] <= out[i - 1];
            seen[out[i]]++;
            has_first = has_first || out[i] == 0;
            pairs[out[i]] += has_first;
        }
    }
    tap_ok(!bad, "always as many as are wanted, none twice");
    double p = (double)WANTED / COUNT, mean = DRAWS * p, error = sqrt(mean * (1 - p));
    double q = p * (WANTED - 1) / (COUNT - 1), pair_mean = DRAWS * q, pair_error = sqrt(pair_mean * (1 - q));
    double worst = 0, worst_pair = 0;
    for (int i = 0; i < COUNT; i++)
        worst = fmax(worst, fabs(seen[i] - mean) / error);
    for (int i = 1; i < COUNT; i++)
        worst_pair = fmax(worst_pair, fabs(pairs[i] - pair_mean) / pair_error);
    tap_ok(worst < 5, "each in two thirds of the draws: at most %.1f standard errors off", worst);
    tap_ok(worst_pair < 5, "and with another as often as chance has it: at most %.1f", worst_pair);
}

static uint64_t sum(uint64_t elapsed, uint32_t count, uint32_t chosen)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < chosen; i++)
        all += subset_weight(elapsed, count, chosen, i);
    return all;
}

static void test_weights(void)
{
    tap_ok(subset_weight(10000000, 7, 7, 3) == 10000000, "who is one of all stands for itself");
    tap_ok(subset_weight(10000000, 150, 100, 99) == 15000000, "one of two thirds for itself and half of another");
    bool adds_up = true, is_even = true;
    for (uint64_t elapsed = 0; elapsed < 3000; elapsed += 7)
        for (uint32_t chosen = 1; chosen <= 100; chosen += 3) {
            uint32_t count = chosen + (uint32_t)elapsed % 97;
            adds_up = adds_up && sum(elapsed, count, chosen) == elapsed * count;
            uint64_t most = subset_weight(elapsed, count, chosen, 0), least = subset_weight(elapsed, count, chosen, chosen - 1);
            is_even = is_even && most - least <= 1;
        }
    tap_ok(adds_up, "the weights of a round add up to its time x threads, whatever it divides by");
    tap_ok(is_even, "and differ by one nanosecond at most");
    uint64_t day = 86400 * NS_PER_S;
    tap_ok(sum(day, 100000, 100) == day * 100000, "after a day of a hundred thousand threads, too");
}

int main(void)
{
    test_few();
    test_uniform();
    test_weights();
    return tap_done();
}
