/* Changes between two versions of a simulated service: samples are Poisson draws, and hosts differ by gamma effects. If nothing changed,
 * the rate of false changes is the promised one. A planted regression is found with the number of samples that the theory requires, and
 * is named. Cost of code that was renamed, inlined or extracted counts as moved.
 * tier: default
 * timeout: 300 */
#include "../draws.h"
#include "../tap.h"

#include "profile/figures/changes.h"
#include "profile/figures/significance.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { DRAWS = 40, PLANTED_DRAWS = 20 };
#else
enum { DRAWS = 600, PLANTED_DRAWS = 100 };
#endif
enum { METHODS = 30, PARTS = 5, PLANTED = 7, HOSTS_MAX = 24 };

static const double false_alarm = 1e-5;
struct service {
    const char *name;
    uint32_t hosts;    /* on each side */
    bool paired;       /* the same hosts on both sides */
    double samples;    /* mean number of samples of a host on one side */
    double own, other; /* variation of a method's share: for each host, and for each host on one side */
    double load;       /* variation of a host's load */
    double large;      /* the load of the first host of a side, in loads of the others; 0 = 1 */
};

static double share_of(uint32_t m)
{
    double sum = 0;
    for (uint32_t i = 0; i < METHODS; i++)
        sum += 1.0 / (i + 2);
    return 1.0 / (m + 2) / sum;
}

static uint32_t figure_of(struct changes *c, const char *name)
{
    uint32_t figure;
    changes_figure(c, name, strlen(name), 0, &figure);
    return figure;
}

/* Adds the samples of a method that is called by another method, which is called by the thread's first method. */
static void add(struct changes *c, uint32_t unit, const char *name, const char *caller, double samples)
{
    uint32_t root = figure_of(c, "run"), between = figure_of(c, caller), figure = figure_of(c, name), edge;
    if (!(samples > 0))
        return;
    changes_weigh(c, unit, samples, samples);
    changes_add(c, root, unit, 0, samples, samples);
    if (between != root) {
        changes_add(c, between, unit, 0, samples, samples);
        changes_edge(c, between, root, &edge);
        c->edges[edge].weight[c->units[unit].side] += samples;
    }
    changes_add(c, figure, unit, samples, samples, samples);
    changes_edge(c, figure, between, &edge);
    c->edges[edge].weight[c->units[unit].side] += samples;
}

/* grown: the factor by which the cost of the planted method rises. */
static void simulate(struct changes *c, const struct service *s, double grown)
{
    double own[HOSTS_MAX][METHODS];
    changes_init(c);
    for (uint32_t i = 0; i < 2 * s->hosts; i++) {
        uint32_t host = i / 2, side = i % 2, unit;
        char name[32], caller[32];
        snprintf(name, sizeof name, "host-%u", s->paired ? host : i);
        changes_unit(c, side, name, "", 0, &unit);
        double load = s->samples * gamma_effect(s->load) * (!host && s->large ? s->large : 1);
        for (uint32_t m = 0; m < METHODS; m++) {
            own[host][m] = side && s->paired ? own[host][m] : gamma_effect(s->own);
            double mean = load * share_of(m) * own[host][m] * gamma_effect(s->other) * (side && m == PLANTED ? grown : 1);
            snprintf(name, sizeof name, "m%u", m);
            snprintf(caller, sizeof caller, "part%u", m % PARTS);
            add(c, unit, name, caller, poisson(mean));
        }
    }
}

static const struct changes_value *self_of(struct changes *c, const char *name)
{
    return &c->figures[figure_of(c, name)].value[CHANGES_SELF];
}

/* The least count that a binomial variable of n and p reaches with a probability below false_alarm. */
static uint32_t too_many(uint32_t n, double p)
{
    uint32_t k = 1;
    while (k < n && significance_beta(p, k, n - k + 1) >= false_alarm)
        k++;
    return k;
}

/* If nothing changed, each discovery is false, so the probability that a comparison has one is at most the level. */
static void test_nothing_changed(const struct service *s)
{
    uint32_t alarms = 0, bound = too_many(DRAWS, 0.01);
    for (uint32_t i = 0; i < DRAWS; i++) {
        struct changes c;
        simulate(&c, s, 1);
        changes_compute(&c);
        alarms += c.sure > 0;
        changes_deinit(&c);
    }
    tap_ok(alarms < bound, "%s: %u of %d comparisons find something where nothing changed; %u would be too many", s->name, alarms, DRAWS,
           bound);
}

/* The variance of a host's share p: the variance of Poisson draws plus that of an effect in proportion to it. */
static double variance_of(const struct service *s, double p, double effect)
{
    return (p / s->samples + effect * effect * p * p) * (1 + s->load * s->load);
}

/* The growth that is found in four of five comparisons: (t + z) standard errors. For a paired host its own effect is no error before the
 * change, but makes the growth different on each host. */
static double growth_of(const struct service *s)
{
    double p = share_of(PLANTED), degrees = compare_degrees(s->paired ? s->hosts - 1 : 2 * s->hosts - 2), growth = 0;
    double reach = significance_student(0.01 / (2.0 * (2 * METHODS + PARTS)), degrees) + significance_normal(0.2);
    double effect = hypot(s->other, s->paired ? 0 : s->own);
    for (int i = 0; i < 50; i++) {
        double differs = s->paired ? s->own * s->own * growth * growth : 0;
        growth = reach * sqrt((variance_of(s, p, effect) + variance_of(s, p + growth, effect) + differs) / s->hosts);
    }
    return growth;
}

/* The results of comparisons in which one method costs more after the change. */
struct found {
    uint32_t dearer, surest, others, held; /* others: another method's own time is named; held: the interval contains what was planted */
};

static void look_for(struct changes *c, double grown, struct found *f)
{
    const struct changes_value *v = self_of(c, "m7");
    struct changes_bounds b;
    double most = 0, truth = v->share[CHANGES_AFTER] * (1 - 1 / grown); /* the cost that was added, in shares of the weight after */
    bool other = false;
    for (uint32_t m = 0; m < METHODS; m++) {
        char name[8];
        snprintf(name, sizeof name, "m%u", m);
        most = fmax(most, fabs(self_of(c, name)->deviations));
        other |= m != PLANTED && self_of(c, name)->verdict != CHANGES_UNSURE;
    }
    changes_bounds(c, figure_of(c, "m7"), CHANGES_SELF, &b);
    f->dearer += v->verdict == CHANGES_DEARER;
    f->surest += fabs(v->deviations) >= most;
    f->others += other;
    f->held += b.interval.low <= truth && b.interval.high >= truth;
}

static struct found plant(const struct service *s, double grown)
{
    struct found f = {0};
    for (uint32_t i = 0; i < PLANTED_DRAWS; i++) {
        struct changes c;
        simulate(&c, s, grown);
        changes_compute(&c);
        look_for(&c, grown, &f);
        changes_deinit(&c);
    }
    return f;
}

/* The test takes the larger of two estimates of the dispersion, so it needs more growth than the theory says. 1.5 times that growth is
 * found in four of five comparisons. */
static void test_planted(const struct service *s)
{
    double share = share_of(PLANTED), growth = 1.5 * growth_of(s);
    struct found f = plant(s, 1 + growth / share);
    tap_ok(f.dearer >= 0.8 * PLANTED_DRAWS, "%s: a growth by %.2f points of %.1f %% is found in %u of %d", s->name, 100 * growth,
           100 * share, f.dearer, PLANTED_DRAWS);
    tap_ok(f.surest >= 0.95 * PLANTED_DRAWS, "%s: it is the surest change in %u", s->name, f.surest);
    tap_ok(f.others < too_many(PLANTED_DRAWS, 0.02), "%s: another method is named in %u", s->name, f.others);
    tap_ok(f.held >= 0.85 * PLANTED_DRAWS, "%s: the interval contains the true value in %u", s->name, f.held);
}

/* A method that costs six times as much lowers all other shares by a sixth. None of the other methods has become cheaper. */
static void test_rest(void)
{
    static const struct service exact = {"much more", 10, true, 20000, 0.1, 0.01, 0.1};
    struct found f = plant(&exact, 6);
    tap_ok(f.dearer == PLANTED_DRAWS && f.others < too_many(PLANTED_DRAWS, 0.02),
           "what grows much is found in %u, and does not make others cheaper, but in %u", f.dearer, f.others);
    tap_ok(f.held >= 0.85 * PLANTED_DRAWS, "and the interval holds how much in %u", f.held);
}

/* With so few samples no growth would be found. What is said to be the least one must not make the share more than 1. */
static void test_least(void)
{
    static const struct service tiny = {"", 3, true, 30, 0.5, 0.5, 0};
    struct changes c;
    struct changes_bounds b;
    simulate(&c, &tiny, 1);
    changes_compute(&c);
    changes_bounds(&c, figure_of(&c, "m7"), CHANGES_SELF, &b);
    double expected = self_of(&c, "m7")->expected;
    tap_ok(b.detectable > 0.1 && b.detectable <= 1 - expected + 1e-9, "the least growth, %.2f, is at most all of the rest, %.2f",
           b.detectable, 1 - expected);
    changes_deinit(&c);
}

/* ---- what moved ---- */

/* Ten hosts with 20,000 samples; `what`: what happened to m5 of part0. */
static void move(struct changes *c, const char *what)
{
    changes_init(c);
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t unit;
        char name[32], caller[32];
        bool after = i % 2;
        snprintf(name, sizeof name, "host-%u", i / 2);
        changes_unit(c, i % 2, name, "", 0, &unit);
        for (uint32_t m = 0; m < METHODS; m++) {
            double n = poisson(20000 * share_of(m) * gamma_effect(0.05));
            snprintf(name, sizeof name, "m%u", m);
            snprintf(caller, sizeof caller, "part%u", m % PARTS);
            if (m != 5 || !after)
                add(c, unit, name, caller, n);
            else if (!strcmp(what, "renamed"))
                add(c, unit, "fresh", caller, n);
            else if (!strcmp(what, "inlined"))
                add(c, unit, "part0", "run", n);
            else if (!strcmp(what, "extracted")) {
                add(c, unit, name, caller, floor(n / 2));
                add(c, unit, "fresh", "m5", n - floor(n / 2));
                changes_add(c, figure_of(c, caller), unit, 0, n - floor(n / 2), n - floor(n / 2));
            } else if (!strcmp(what, "dearer"))
                add(c, unit, "fresh", caller, 2 * n);
        }
    }
    changes_compute(c);
}

static void test_moved(const char *what, const char *to)
{
    struct changes c;
    move(&c, what);
    const struct changes_value *a = self_of(&c, "m5"), *b = self_of(&c, to);
    tap_ok(a->verdict == CHANGES_MOVED && b->verdict == CHANGES_MOVED && a->partner == figure_of(&c, to) &&
               b->partner == figure_of(&c, "m5"),
           "%s: it moved, from %s to %s", what, "m5", to);
    uint32_t others = 0;
    for (uint32_t i = 0; i < 2 * c.figure_count; i++) {
        enum changes_verdict v = c.figures[i / 2].value[i % 2].verdict;
        others += v != CHANGES_UNSURE && v != CHANGES_MOVED;
    }
    tap_ok(!others, "%s: nothing else changed (%u did)", what, others);
    changes_deinit(&c);
}

static void test_not_moved(void)
{
    struct changes c;
    move(&c, "dearer");
    tap_ok(self_of(&c, "m5")->verdict == CHANGES_GONE && self_of(&c, "fresh")->verdict == CHANGES_NEW,
           "a method that was replaced by one that costs twice as much did not move: gone, and new");
    const struct changes_value *total = &c.figures[figure_of(&c, "part0")].value[CHANGES_TOTAL];
    tap_ok(total->verdict == CHANGES_DEARER && !total->innermost, "its caller is dearer, and not where to look");
    changes_deinit(&c);
}

/* Forty methods of a library cost a quarter more each. That is too little to be certain about any of them, but not about all together. */
static void test_total(void)
{
    struct changes c;
    changes_init(&c);
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t unit;
        char name[32];
        snprintf(name, sizeof name, "host-%u", i / 2);
        changes_unit(&c, i % 2, name, "", 0, &unit);
        for (uint32_t m = 0; m < 4; m++) {
            snprintf(name, sizeof name, "app.m%u", m);
            add(&c, unit, name, "run", poisson(1250));
        }
        for (uint32_t m = 0; m < 40; m++) {
            snprintf(name, sizeof name, "lib.m%u", m);
            add(&c, unit, name, "lib", poisson(i % 2 ? 10 : 8));
        }
    }
    changes_compute(&c);
    const struct changes_value *v = &c.figures[figure_of(&c, "lib")].value[CHANGES_TOTAL];
    uint32_t own = 0;
    for (uint32_t i = 0; i < c.figure_count; i++)
        own += c.figures[i].value[CHANGES_SELF].verdict != CHANGES_UNSURE;
    tap_ok(v->verdict == CHANGES_DEARER && v->innermost && own < 2,
           "many small changes: the total of their caller is dearer, and where to look");
    changes_deinit(&c);
}

/* There are only two methods, so their sum cannot change. */
static void test_two(void)
{
    struct changes c;
    changes_init(&c);
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t unit;
        char name[32];
        snprintf(name, sizeof name, "host-%u", i / 2);
        changes_unit(&c, i % 2, name, "", 0, &unit);
        add(&c, unit, "one", "run", poisson(i % 2 ? 2000 : 1000));
        add(&c, unit, "other", "run", poisson(2000));
    }
    changes_compute(&c);
    tap_ok(self_of(&c, "one")->verdict == CHANGES_DEARER, "a sum that is the whole says nothing of what moved");
    changes_deinit(&c);
}

/* ---- few hosts ---- */

/* One host, on both sides, in blocks of time. The share of `hot` is `share`, and all samples of a `lump` within a block are alike. */
static void alone(struct changes *c, uint32_t blocks, double share, double grown, double variation)
{
    changes_init(c);
    for (uint32_t i = 0; i < 2 * blocks; i++) {
        uint32_t unit;
        double effect = gamma_effect(variation);
        changes_unit(c, i % 2, "one", "", i / 2, &unit);
        add(c, unit, "hot", "part", poisson(1000 * share * effect * (i % 2 ? grown : 1)));
        add(c, unit, "cold", "part", poisson(1000 * (1 - share)));
    }
    changes_compute(c);
}

static void test_alone(void)
{
    uint32_t alarms = 0, bound = too_many(DRAWS, 0.01);
    struct changes c;
    for (uint32_t i = 0; i < DRAWS; i++) {
        alone(&c, 16, 0.2, 1, 0.2);
        alarms += c.sure > 0;
        changes_deinit(&c);
    }
    tap_ok(alarms < bound, "one host: %u of %d comparisons find something where nothing changed; %u would be too many", alarms, DRAWS,
           bound);
    alone(&c, 16, 0.2, 2, 0.2);
    tap_ok(c.design == CHANGES_ALONE && !c.reason && self_of(&c, "hot")->verdict == CHANGES_DEARER, "one host: twice the cost is found");
    changes_deinit(&c);
    alone(&c, 7, 0.2, 2, 0.2);
    tap_ok(c.design == CHANGES_NONE && c.reason && strstr(c.reason, "blocks of time") && !c.sure,
           "one host in 7 blocks: not sure, and why");
    changes_deinit(&c);
    const struct service one = {"", 1, false, 5000, 0, 0, 0};
    simulate(&c, &one, 4);
    changes_compute(&c);
    tap_ok(c.design == CHANGES_NONE && c.reason && strstr(c.reason, "not the same") && !c.sure,
           "one host against another: not sure, and why");
    const struct changes_value *v = self_of(&c, "m7");
    tap_ok(v->weight[0] > 0 && v->weight[1] > v->weight[0] && v->share[1] == v->weight[1] / c.weight[1] && v->share[1] > v->share[0],
           "it has weights and shares");
    tap_ok(v->p == 1 && v->q == 1 && !v->tested && isnan(v->change) && isnan(v->expected), "but no change, and no test");
    changes_deinit(&c);
}

/* Six hosts before and six after, of which `both` are the same ones, with samples in these blocks. */
static bool wants_blocks(uint32_t both, uint32_t before, uint32_t after)
{
    struct changes c;
    uint32_t unit;
    changes_init(&c);
    for (uint32_t i = 0; i < 12; i++) {
        char name[16];
        snprintf(name, sizeof name, "host-%u", i % 2 && i / 2 >= both ? 100 + i : i / 2);
        changes_unit(&c, i % 2, name, "", i % 2 ? after : before, &unit);
        changes_weigh(&c, unit, 100, 100);
    }
    bool wants = changes_wants_blocks(&c);
    changes_deinit(&c);
    return wants;
}

static void test_wants_blocks(void)
{
    tap_ok(!wants_blocks(6, 0, 0) && !wants_blocks(5, 0, 0) && !wants_blocks(0, 0, 0),
           "with five hosts or more, blocks of time do not count");
    tap_ok(wants_blocks(4, 0, 0), "they do if four of six hosts are on both sides, because only these are compared");
    tap_ok(!wants_blocks(3, 0, 0), "if three are, all are compared");
    tap_ok(wants_blocks(4, 1, 0) && wants_blocks(4, 0, 1), "also if one side has them");
    tap_ok(!wants_blocks(4, 1, 1), "they are not asked for twice");
}

static void test_hosts(void)
{
    struct changes c;
    uint32_t unit;
    changes_init(&c);
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t side = 0; side < 2; side++) {
            char name[16];
            snprintf(name, sizeof name, "%s-%u", i < 6 ? "both" : side ? "after" : "before", i);
            changes_unit(&c, side, name, "", 0, &unit);
            add(&c, unit, "hot", "part", 100);
            add(&c, unit, "cold", "part", i < 6 ? 100 : 900);
        }
    changes_compute(&c);
    const struct changes_value *v = self_of(&c, "hot");
    tap_ok(c.design == CHANGES_PAIRED && c.compared[0] == 6 && c.compared[1] == 6,
           "hosts that are on both sides are compared with themselves");
    tap_ok(v->share[0] == 0.5 && v->share[1] == 0.5 && v->weight[0] == 600, "and the others are left out");
    changes_deinit(&c);
}

/* ---- limits ---- */

/* Gives up when it has been asked this many times. */
static int is_over(void *context)
{
    uint32_t *left = context;
    return (*left)-- ? 0 : -ETIMEDOUT;
}

/* The computation asks regularly; it ends at each of these points if the answer says so. */
static void test_is_over(void)
{
    static const struct service ten = {"", 10, true, 3000, 0.1, 0, 0};
    uint32_t asked = 0;
    int rc = -ETIMEDOUT;
    bool kept = true;
    for (; rc == -ETIMEDOUT && asked < 1000; asked++) {
        struct changes c;
        uint32_t left = asked;
        simulate(&c, &ten, 3);
        c.is_over = is_over;
        c.context = &left;
        rc = changes_compute(&c);
        kept &= rc == -ETIMEDOUT ? left == UINT32_MAX : c.sure > 0;
        changes_deinit(&c);
    }
    tap_ok(!rc && kept && asked > 3, "the computation ends when it is told to, at each of %u places where it asks", asked - 1);
}

static void test_cells(void)
{
    struct changes c;
    uint32_t unit, one, other;
    changes_init(&c);
    c.cells_most = 3;
    for (uint32_t i = 0; i < 2; i++) {
        char host[8];
        snprintf(host, sizeof host, "%u", i);
        changes_unit(&c, CHANGES_BEFORE, host, "", 0, &unit);
    }
    one = figure_of(&c, "one");
    other = figure_of(&c, "other");
    int first = changes_add(&c, one, unit, 1, 1, 1), again = changes_add(&c, one, 0, 1, 1, 1);
    int more = changes_add(&c, other, unit, 1, 1, 1);
    tap_ok(!first && !again && more == -E2BIG && c.cell_count == 2, "two figures on two hosts are more than three cells");
    changes_deinit(&c);
}

/* Nearly all samples of a side are of one host, so the mean is nearly that host's. How much hosts differ is seen at the others. */
static void test_large(void)
{
    static const struct service services[] = {
        {"a host with nine tenths of the load", 8, true, 2000, 0.3, 0.3, 0, 60},
        {"such a host and another one", 8, false, 2000, 0.3, 0, 0, 60},
        {"such hosts beside few", 3, false, 5000, 0.3, 0, 0, 20},
    };
    for (size_t i = 0; i < sizeof services / sizeof *services; i++)
        test_nothing_changed(&services[i]);
}

int main(void)
{
    static const struct service services[] = {
        {"ten hosts, each with itself", 10, true, 3000, 0.3, 0.1, 0.3},
        {"ten hosts and ten others", 10, false, 3000, 0.1, 0, 0.3},
        {"twenty hosts that differ much", 20, false, 5000, 0.3, 0, 0.5},
        {"three hosts, each with itself", 3, true, 10000, 0.3, 0.1, 0.1},
        {"three hosts and three others", 3, false, 10000, 0.1, 0, 0.1},
        {"hosts that do not differ", 8, true, 2000, 0, 0, 0},
        {"few samples", 8, false, 200, 0.1, 0, 0.2},
    };
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        test_nothing_changed(&services[i]);
        if (i < 2)
            test_planted(&services[i]);
    }
    /* Hosts that differ much, and whose loads are others after: each is compared with itself, so neither is an error. */
    test_planted(&(struct service){"hosts whose load changes", 20, true, 100000, 0.5, 0.01, 0.5});
    test_least();
    test_rest();
    test_moved("renamed", "fresh");
    test_moved("inlined", "part0");
    test_moved("extracted", "fresh");
    test_not_moved();
    test_total();
    test_two();
    test_alone();
    test_hosts();
    test_wants_blocks();
    test_is_over();
    test_cells();
    test_large();
    return tap_done();
}
