/* Self, total, and the intervals: their formulas, and that they contain the true value as often as promised.
 * tier: quick
 * timeout: 60
 * aarch64: yes */
#include "../tap.h"

#include "profile/figures/stats.h"
#include "profile_maker.h"

#include <math.h>
#include <string.h>

static bool near(double a, double b)
{
    return fabs(a - b) < 5e-5;
}

/* Compared with values computed from Wilson's formula by hand, and with its published examples. */
static void test_wilson(void)
{
    struct interval i = stats_wilson(0.5, 100);
    tap_ok(near(i.low, 0.40383) && near(i.high, 0.59617), "50 of 100: %.5f..%.5f", i.low, i.high);
    i = stats_wilson(15.0 / 148, 148);
    tap_ok(near(i.low, 0.06238) && near(i.high, 0.16048), "15 of 148 (Newcombe 1998): %.5f..%.5f", i.low, i.high);
    i = stats_wilson(0, 20);
    tap_ok(i.low == 0 && near(i.high, 0.16113), "0 of 20: %.5f..%.5f", i.low, i.high);
    i = stats_wilson(1, 29);
    tap_ok(near(i.low, 0.88303) && i.high == 1, "29 of 29: %.5f..%.5f", i.low, i.high);
    i = stats_wilson(0, 0);
    tap_ok(i.low == 0 && i.high == 1, "nothing seen: nothing known");
    i = stats_wilson(1, 0.01);
    tap_ok(i.low >= 0 && i.low <= i.high && i.high <= 1, "a sample size below one stays within 0..1");
}

static void test_effective_size(void)
{
    tap_ok(near(stats_effective_size(50, 50), 50), "equal weights: the number of samples");
    tap_ok(near(stats_effective_size(500, 5000), 50), "whatever the weight is");
    tap_ok(near(stats_effective_size(11, 1 + 100), 121.0 / 101), "one heavy sample counts for little more than one");
    tap_ok(stats_effective_size(0, 0) == 0, "no weight: none");
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double uniform(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

static bool covers(double truth, double share, double n)
{
    struct interval i = stats_wilson(share, n);
    return i.low <= truth && truth <= i.high;
}

/* The exact probability that Wilson's interval for n draws contains p: the sum of the binomial probabilities of the counts whose
 * interval contains it. It varies around 95 % with n and p; this is a property of the method, not an error. */
static double exact_coverage(int n, double p)
{
    double sum = 0;
    for (int k = 0; k <= n; k++)
        if (covers(p, (double)k / n, n))
            sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p));
    return sum;
}

enum { TRIALS = 4000 };

/* Equal weights. A trial covers with the exact probability c, so the rate lies within 6 sqrt(c(1-c)/TRIALS) of it, except
 * with probability 2e-9 (normal; under 1e-7 by Bernstein's inequality with the extra 12/TRIALS) per configuration. */
static void test_coverage(int n, double p, uint64_t seed)
{
    int hits = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        int k = 0;
        for (int i = 0; i < n; i++)
            k += uniform(&seed) < p;
        hits += covers(p, (double)k / n, n);
    }
    double rate = (double)hits / TRIALS, exact = exact_coverage(n, p);
    double bound = 6 * sqrt(exact * (1 - exact) / TRIALS) + 12.0 / TRIALS;
    tap_ok(exact > 0.92 && fabs(rate - exact) < bound, "n %d, p %.2f: covered in %.2f %% of trials, exactly %.2f %%", n, p, rate * 100,
           exact * 100);
}

/* Unequal weights: one in ten samples is ten times as heavy, through the whole profile and stats_compute. With n_eff the coverage is 95
 * %, with a tolerance for the variation of the method (2 points) and 6 standard errors (2.1 points): a false alarm is rarer than 1e-8.
 * With the number of samples instead of n_eff it would be 70 %, which the test must not accept. */
static void test_weighted_coverage(uint64_t seed)
{
    static const double p = 0.3;
    int hits = 0, naive = 0;
    struct profile profile;
    maker_init(&profile);
    maker_sample(&profile, "A.hot", 1);
    maker_sample(&profile, "A.cold", 1);
    uint32_t hot = profile.samples[0].stack, cold = profile.samples[1].stack;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct stats s;
        profile_drop_samples(&profile);
        for (int i = 0; i < 300; i++) {
            uint64_t weight = uniform(&seed) < 0.1 ? 10000000 : 1000000;
            struct profile_sample sample = {.weight = weight, .stack = uniform(&seed) < p ? hot : cold};
            profile_add_sample(&profile, &sample);
        }
        stats_compute(&s, &profile);
        for (uint32_t i = 0; i < s.methods.count; i++) {
            const struct stats_row *r = &s.methods.rows[i];
            if (strcmp(profile_text(&profile, r->label), "A.hot"))
                continue;
            hits += r->self.interval.low <= p && p <= r->self.interval.high;
            naive += covers(p, r->self.share, s.samples);
        }
        stats_deinit(&s);
    }
    double rate = (double)hits / TRIALS;
    tap_ok(fabs(rate - 0.95) < 0.041, "unequal weights: covered in %.2f %% of trials", rate * 100);
    tap_ok((double)naive / TRIALS < 0.85, "counting samples instead would claim too much: %.2f %%", naive * 100.0 / TRIALS);
    profile_deinit(&profile);
}

static const struct stats_row *row(const struct profile *p, const struct stats_table *t, const char *label, int32_t line)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (!strcmp(profile_text(p, t->rows[i].label), label) && t->rows[i].line == line)
            return &t->rows[i];
    tap_ok(false, "there is a row %s:%d", label, line);
    static const struct stats_row none;
    return &none;
}

static void test_self_and_total(void)
{
    struct profile p;
    struct stats s;
    maker_init(&p);
    maker_sample(&p, "A.run:1;A.fib:2;A.fib:3;A.fib:2", 40); /* recursion */
    maker_sample(&p, "A.run:1;A.fib:2;B.leaf:9", 10);
    maker_sample(&p, "A.run:1;A.fib:2;B.leaf:9", 20);
    maker_sample(&p, "Missing|[truncated];B.leaf:8", 25);
    maker_sample(&p, "Failed|gc_active.libjvm.so", 5);
    tap_ok(stats_compute(&s, &p) == 0 && s.weight == 100 && s.samples == 5, "all samples count, those without a stack too");
    const struct stats_row *fib = row(&p, &s.methods, "A.fib", 0), *leaf = row(&p, &s.methods, "B.leaf", 0);
    tap_ok(fib->self.weight == 40 && fib->total.weight == 70 && fib->total.samples == 3, "recursion counts once");
    tap_ok(leaf->self.weight == 55 && leaf->total.weight == 55 && leaf->self.samples == 3, "self of a leaf");
    tap_ok(row(&p, &s.methods, "A.run", 0)->self.weight == 0 && row(&p, &s.methods, "A.run", 0)->total.weight == 70,
           "a caller has total only");
    tap_ok(near(leaf->self.share, 0.55) && near(s.effective, 100.0 * 100 / (1600 + 100 + 400 + 625 + 25)), "shares");
    tap_ok(row(&p, &s.lines, "A.fib", 2)->total.weight == 70 && row(&p, &s.lines, "A.fib", 3)->total.weight == 40 &&
               row(&p, &s.lines, "A.fib", 2)->self.weight == 40,
           "lines of a recursion count once each");
    tap_ok(s.methods.count == 4 && s.lines.count == 6, "the mark of a truncated stack is no method");
    tap_ok(s.methods.rows[0].self.weight == 55 && s.threads.count == 1 && s.threads.rows[0].self.weight == 100, "order");
    stats_sort(&s.methods, &p, STATS_BY_TOTAL);
    tap_ok(s.methods.rows[0].total.weight == 70 && s.methods.rows[0].self.weight == 40, "order by total");
    stats_deinit(&s);
    profile_deinit(&p);
    maker_init(&p);
    tap_ok(stats_compute(&s, &p) == 0 && s.methods.count == 0 && s.effective == 0, "no samples");
    stats_deinit(&s);
    profile_deinit(&p);
}

static uint32_t label_set(struct profile *p, uint32_t parent, const char *key, const char *value)
{
    struct profile_label one = {.parent = parent, .key = maker_string(p, key), .value = maker_string(p, value)};
    uint32_t id;
    tap_ok(profile_label(p, &one, &id) == 0, "a set with %s=%s", key, value);
    return id;
}

static void sample_with(struct profile *p, uint32_t labels, uint64_t weight)
{
    maker_sample(p, "A.a", weight);
    p->samples[p->sample_count - 1].labels = labels;
}

static const struct stats_figure *value_of(const struct stats *s, const struct profile *p, const char *value)
{
    static const struct stats_figure none;
    for (uint32_t i = 0; i < s->labels.count; i++)
        if (!strcmp(profile_text(p, s->labels.rows[i].label), value))
            return &s->labels.rows[i].self;
    return &none;
}

/* A label counts at any place in its set, and the last one counts if there are several; samples without the label are a row, too. */
static void test_labels(void)
{
    struct profile p;
    struct stats s;
    struct successive_order order;
    maker_init(&p);
    uint32_t cart = label_set(&p, 0, "endpoint", "GET /cart"), gold = label_set(&p, cart, "tier", "gold");
    uint32_t pay = label_set(&p, gold, "endpoint", "POST /pay"), tier = label_set(&p, 0, "tier", "iron");
    sample_with(&p, cart, 10);
    sample_with(&p, gold, 20);
    sample_with(&p, pay, 40);
    sample_with(&p, tier, 70);
    sample_with(&p, 0, 60);
    tap_ok(successive_order_init(&order, &p) == 0 && stats_compute_ordered(&s, &order) == 0 &&
               stats_compute_label(&s, &order, "endpoint") == 0,
           "computed");
    tap_ok(s.labels.count == 3, "three rows, not %u", s.labels.count);
    tap_ok(value_of(&s, &p, "GET /cart")->weight == 30 && value_of(&s, &p, "GET /cart")->samples == 2, "deeper in the set");
    tap_ok(value_of(&s, &p, "POST /pay")->weight == 40, "the last of two");
    tap_ok(value_of(&s, &p, "")->weight == 130 && s.labels.rows[0].label == 0, "those without one, the heaviest first");
    double sum = 0;
    for (uint32_t i = 0; i < s.labels.count; i++) {
        const struct stats_figure *f = &s.labels.rows[i].self;
        sum += f->share;
        tap_ok(f->interval.low <= f->share && f->share <= f->interval.high, "an interval around %.2f", f->share);
    }
    tap_ok(near(sum, 1), "shares add up to 1: %.5f", sum);
    stats_deinit(&s);
    tap_ok(stats_compute_ordered(&s, &order) == 0 && stats_compute_label(&s, &order, "nobody") == 0 && s.labels.count == 1 &&
               s.labels.rows[0].self.weight == 200,
           "a key that nothing has: one row of all");
    stats_deinit(&s);
    successive_order_deinit(&order);
    profile_deinit(&p);
}

/* Stacks that alternate between own code and the JDK's: the innermost own method counts. */
static void test_own(void)
{
    static const struct {
        const char *stack;
        uint64_t weight;
    } samples[] = {{"shop.A.a:1;java.util.Map.get:2;shop.B.compare:3;java.lang.String.equals:4", 30},
                   {"shop.A.a:1;java.util.Map.get:2", 20},
                   {"org.apache.tomcat.X.run:9;java.lang.Thread.run:1", 7},
                   {"shop.A.a:1", 13}};
    struct profile p;
    struct stats s = {0};
    struct successive_order order;
    maker_init(&p);
    for (size_t i = 0; i < 4; i++)
        maker_sample(&p, samples[i].stack, samples[i].weight);
    tap_ok(successive_order_init(&order, &p) == 0 && stats_compute_ordered(&s, &order) == 0 && stats_compute_own(&s, &order) == 0,
           "computed");
    tap_ok(s.own.count == 3 && s.own.rows[0].self.weight == 33 && s.own.rows[1].self.weight == 30 && s.own.rows[2].self.weight == 7,
           "the JDK's time is its caller's");
    const char *first = profile_text(&p, s.own.rows[0].label), *second = profile_text(&p, s.own.rows[1].label);
    tap_ok(!strcmp(first, "shop.A.a") && !strcmp(second, "shop.B.compare") && !s.own.rows[2].label, "%s, %s, none", first, second);
    const struct stats_own_pair *callee = stats_own_callee(&s, s.own.rows[0].label);
    tap_ok(callee && callee->weight == 20 && !strcmp(profile_text(&p, callee->leaf), "java.util.Map.get"), "where most of it is");
    tap_ok(callee && stats_own_caller(&s, callee->leaf) == callee && !stats_own_callee(&s, 0), "and the way back");
    double sum = 0;
    for (uint32_t i = 0; i < s.own.count; i++)
        sum += s.own.rows[i].self.share;
    tap_ok(near(sum, 1), "shares add up to 1: %.5f", sum);
    stats_deinit(&s);
    successive_order_deinit(&order);
    profile_deinit(&p);
}

int main(void)
{
    test_own();
    test_wilson();
    test_labels();
    test_effective_size();
    test_self_and_total();
    static const int sizes[] = {20, 100, 500};
    static const double shares[] = {0.01, 0.05, 0.3, 0.5, 0.95};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 5; k++)
            test_coverage(sizes[i], shares[k], 88172645463325252u + (uint64_t)(i * 5 + k));
    test_weighted_coverage(2463534242u);
    return tap_done();
}
