/* Design effects of clocks by lot, whose samples come in windows: by hand, and that intervals with them contain the true value, whatever
 * the samples of a window have in common.
 * tier: quick
 * timeout: 120 */
#include "../tap.h"

#include "profile/figures/significance.h"
#include "profile/figures/stats.h"
#include "profile/merge.h"
#include "profile_maker.h"

#include <math.h>
#include <string.h>

static uint64_t seed = 88172645463325252u;

static double uniform(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) * 0x1p-53;
}

static void sample(struct profile *p, const char *thread, char method, uint32_t window)
{
    char frames[64];
    snprintf(frames, sizeof frames, "app.M.main;app.A.%c", method);
    maker_sample_of(p, thread, frames, 1000);
    p->samples[p->sample_count - 1].window = window;
    p->windows = window > p->windows ? window : p->windows;
}

static void begin(struct profile *p)
{
    maker_init(p);
    maker_setting(p, "clock", "sigtrap");
}

static const struct stats_figure *figure_of(const struct stats *s, const struct profile *p, const char *method, bool total)
{
    for (uint32_t i = 0; i < s->methods.count; i++)
        if (!strcmp(profile_text(p, s->methods.rows[i].label), method))
            return total ? &s->methods.rows[i].total : &s->methods.rows[i].self;
    return NULL;
}

/* "aab|b": windows of this many samples, which show these methods; in each second there is one window of another thread. A digit 0
 * before the letters: these samples belong to no window. */
static void make(struct profile *p, const char *windows)
{
    uint32_t window = 1;
    bool none = false;
    begin(p);
    for (const char *c = windows; *c; c++) {
        if (*c == '|')
            window++, none = false;
        else if (*c == '0')
            none = true;
        else
            sample(p, window % 2 ? "odd" : "even", *c, none ? 0 : window);
    }
}

/* The effect that a figure must have whose variance is `effect` times that of samples of one weight. independent: the part of it that
 * independent samples would have. degrees: those of the windows' sum. */
static double estimated(double effect, double independent, double degrees)
{
    double excess = effect - independent;
    double wider = significance_student(0.025, degrees * effect * effect / (excess * excess)) / significance_normal(0.025);
    return effect * wider * wider;
}

static double effect_of(const char *windows, const char *method, bool total)
{
    struct profile p;
    struct stats s;
    make(&p, windows);
    bool good = !stats_compute(&s, &p);
    const struct stats_figure *f = good ? figure_of(&s, &p, method, total) : NULL;
    double effect = f ? f->effect : -1;
    stats_deinit(&s);
    profile_deinit(&p);
    return effect;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 0.001 * b; /* the expansion of Student's t */
}

static void test_by_hand(void)
{
    /* Of 8 samples a has 4: (4 - 2)^2 + (0 - 2)^2 over 8/4. */
    tap_ok(near(effect_of("aaaa|bbbb", "app.A.a", false), estimated(4, 1, 4)), "windows that show one thing tell as much as their number");
    tap_ok(near(effect_of("ab|ab|ab|ab", "app.A.a", false), 1), "windows that show the same are worth no more than their samples");
    /* a has 3 of 8; (3 - 3/8 * 3)^2 + 3 * (0 - 3/8)^2 + (0 - 3/8 * 2)^2 over 8 * 3/8 * 5/8. */
    double expected = (pow(3 - 9.0 / 8, 2) + 3 * pow(3.0 / 8, 2) + pow(6.0 / 8, 2)) / (8 * 15.0 / 64);
    tap_ok(near(effect_of("aaa|0bbb|bb", "app.A.a", false), estimated(expected, 1, 2 * 16.0 * 16 / 100)),
           "samples of other clocks are each one by itself");
    tap_ok(near(effect_of("aaaa|bbbb", "app.A.a", true), estimated(4, 1, 4)), "the same for totals");
    tap_ok(near(effect_of("aaaa|bbbb", "app.M.main", true), 4), "what all samples show is as certain as the number of windows makes it");
}

/* Two windows of unequal weight: a has 2 samples of 4, each of which weighs 3 times as much as one of b. */
static void test_weights(void)
{
    struct profile p;
    struct stats s;
    make(&p, "aa|bb");
    for (uint32_t i = 0; i < 2; i++)
        p.samples[i].weight *= 3;
    p.weight += 4000;
    bool good = !stats_compute(&s, &p);
    const struct stats_figure *f = good ? figure_of(&s, &p, "app.A.a", false) : NULL;
    /* ((1 - 3/4) 6)^2 + (3/4 2)^2 over (9 + 9 + 1 + 1) 3/4 1/4 */
    tap_ok(f && near(f->effect, estimated(4.5 / 3.75, 2.25 / 3.75, 2 * 40.0 * 40 / (36 * 36 + 4 * 4))), "windows count by their weight: %g",
           f ? f->effect : 0);
    stats_deinit(&s);
    profile_deinit(&p);
}

/* The same windows, drawn with a chance of 40 %: this part of the variance is that of single samples, which here is a quarter. */
static void test_chance(void)
{
    struct profile p;
    struct stats s;
    make(&p, "aaaa|bbbb");
    for (uint32_t i = 0; i < p.sample_count; i++)
        p.samples[i].chance = 40;
    bool good = !stats_compute(&s, &p);
    const struct stats_figure *f = good ? figure_of(&s, &p, "app.A.a", false) : NULL;
    tap_ok(f && near(f->effect, estimated(0.6 * 4 + 0.4 * 1, 1, 4)), "a window that was likely to be drawn tells more");
    stats_deinit(&s);
    profile_deinit(&p);
}

static void test_threads(void)
{
    struct profile p;
    struct stats s;
    make(&p, "aaaa|bbbb|aaaa|bbbb");
    bool good = !stats_compute(&s, &p);
    /* Each thread has two of four windows of 4: 4 * (4 - 2)^2 over 16/4. */
    for (uint32_t i = 0; i < s.threads.count; i++)
        good = good && (!s.threads.rows[i].self.samples || near(s.threads.rows[i].self.effect, estimated(4, 1, 8)));
    tap_ok(good, "a thread's share rests on its windows, too");
    stats_deinit(&s);
    profile_deinit(&p);
}

static void test_merged(void)
{
    struct profile a, b;
    struct stats s;
    make(&a, "aaaa|bbbb");
    make(&b, "aaaa|bbbb");
    bool good = !profile_merge(&a, &b) && a.windows == 4 && !stats_compute(&s, &a);
    const struct stats_figure *f = good ? figure_of(&s, &a, "app.A.a", false) : NULL;
    tap_ok(f && near(f->effect, estimated(4, 1, 8)), "windows of two recordings are different ones");
    stats_deinit(&s);
    profile_deinit(&a);
    profile_deinit(&b);
}

/* alike: the part of the windows in which all samples show the same method. */
static bool holds(double share, double alike)
{
    struct profile p;
    struct stats s;
    begin(&p);
    for (uint32_t window = 1; window <= 150; window++) {
        bool same = uniform() < alike, first = uniform() < share;
        for (uint32_t i = 0, n = 1 + (uint32_t)(uniform() * 10); i < n; i++)
            sample(&p, "t", (same ? first : uniform() < share) ? 'a' : 'b', window);
    }
    bool good = !stats_compute(&s, &p);
    const struct stats_figure *f = good ? figure_of(&s, &p, "app.A.a", false) : NULL;
    good = f && f->interval.low <= share && share <= f->interval.high;
    stats_deinit(&s);
    profile_deinit(&p);
    return good;
}

/* Of 400 intervals of 95 % at least 355 must contain the true value: fewer would occur by chance once in 1e7. Variances from 150 windows
 * come out a little small: with 93.5 % it is once in 3e5. */
static void test_coverage(void)
{
    static const double shares[] = {0.1, 0.5}, alikes[] = {0, 0.5, 1};
    enum { ROUNDS = 400, LEAST = 355 };
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            int held = 0;
            for (int round = 0; round < ROUNDS; round++)
                held += holds(shares[i], alikes[j]);
            tap_ok(held >= LEAST, "a share of %.1f, %.0f %% of the windows alike: %d of %d intervals hold", shares[i], 100 * alikes[j],
                   held, ROUNDS);
        }
}

int main(void)
{
    test_by_hand();
    test_weights();
    test_chance();
    test_threads();
    test_merged();
    test_coverage();
    return tap_done();
}
