/* Design effects from successive samples: by hand, against counting by definition, and that intervals hold with them.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "profile/stats.h"
#include "profile/successive.h"
#include "profile_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static const struct stats_row *row_of(const struct stats *s, const struct profile *p, const char *name)
{
    for (uint32_t i = 0; i < s->methods.count; i++)
        if (!strcmp(profile_text(p, s->methods.rows[i].label), name))
            return &s->methods.rows[i];
    return NULL;
}

/* Samples by letter: 'a' shows app.A.a below app.M.main, and so on; '2' shows a twice, 'B' b below a. */
static void sample(struct profile *p, char what)
{
    char frames[64];
    if (what == '2')
        strcpy(frames, "app.M.main;app.A.a;app.A.a");
    else if (what == 'B')
        strcpy(frames, "app.M.main;app.A.a;app.A.b");
    else
        snprintf(frames, sizeof frames, "app.M.main;app.A.%c", what);
    maker_sample(p, frames, 1000);
}

static double effect_of(const char *samples, const char *method, bool total)
{
    struct profile p;
    struct stats s;
    maker_init(&p);
    maker_setting(&p, "clock", "sigtrap");
    for (const char *c = samples; *c; c++)
        sample(&p, *c);
    if (stats_compute(&s, &p))
        tap_note("out of memory");
    const struct stats_row *row = row_of(&s, &p, method);
    double effect = row ? (total ? row->total.effect : row->self.effect) : -1;
    stats_deinit(&s);
    profile_deinit(&p);
    return effect;
}

static bool is(double effect, uint32_t next, uint32_t next_but_one, uint32_t k)
{
    return effect == successive_effect((struct successive){next, next_but_one}, k, 8);
}

static void test_by_hand(void)
{
    tap_ok(is(effect_of("bbbabbbb", "app.A.a", false), 2, 2, 1), "a sample alone");
    tap_ok(is(effect_of("bbaaaabb", "app.A.a", false), 2, 4, 4), "a run");
    tap_ok(is(effect_of("aaaabbbb", "app.A.a", false), 1, 2, 4), "a run at the end");
    tap_ok(effect_of("babababa", "app.A.a", false) == 1, "in turns: no surer than independent draws");
    tap_ok(effect_of("aaaa", "app.A.a", false) == 1 && effect_of("bbbb", "app.M.main", false) == 1, "all or none: unknown");
    tap_ok(is(effect_of("bbBbbbbb", "app.A.a", true), 2, 2, 1), "total: as a caller, too");
    tap_ok(is(effect_of("bb2abbbb", "app.A.a", true), 2, 4, 2), "once for each sample, however often it recurses");
    tap_ok(is(effect_of("aaBaaabb", "app.A.b", true), 3, 4, 3), "what one stack has deeper and the next less deep");
}

enum { N = 4000, RUNS = 400 };

/* A program in phases of exponential length, of which some are of a kind that works in `a`; in these it is there for visits of
 * exponential length, with probability p. Lengths are in samples' time. */
struct program {
    const char *name;
    double phase, kind, stay, p;
    double widest; /* intervals, as multiples of 2 * 1.96 standard deviations of the error */
};

static double length(uint64_t *state, double mean)
{
    return -log(1 - uniform(state)) * mean;
}

/* Sampled at even distances that begin anywhere. *truth: the share of `a`. */
static void simulate(struct profile *prof, const struct program *prog, uint64_t *state, double *truth)
{
    double now = 0, in_a = 0, next = uniform(state), end = N, phase_end = 0;
    bool works = false;
    while (now < end) {
        if (now >= phase_end) {
            works = uniform(state) < prog->kind;
            phase_end = now + length(state, prog->phase);
        }
        bool a = works && uniform(state) < prog->p;
        double until = fmin(fmin(end, phase_end), now + length(state, prog->stay));
        in_a += a ? until - now : 0;
        for (; next < until; next += 1)
            sample(prof, a ? 'a' : 'b');
        now = until;
    }
    *truth = in_a / end;
}

static void test_coverage(const struct program *prog)
{
    int covered = 0, seen = 0;
    double width = 0, squares = 0;
    uint64_t state = 88172645463325252ULL;
    for (int i = 0; i < RUNS; i++) {
        struct profile p;
        struct stats s;
        double truth;
        maker_init(&p);
        maker_setting(&p, "clock", "sigtrap");
        simulate(&p, prog, &state, &truth);
        stats_compute(&s, &p);
        const struct stats_row *row = row_of(&s, &p, "app.A.a");
        if (row) {
            struct interval in = row->self.interval;
            seen++;
            covered += in.low <= truth && truth <= in.high;
            width += in.high - in.low;
            squares += (row->self.share - truth) * (row->self.share - truth);
        }
        stats_deinit(&s);
        profile_deinit(&p);
    }
    double ratio = width / seen / (2 * 1.96 * sqrt(squares / seen));
    tap_ok(covered >= 0.918 * seen && seen > RUNS * 3 / 4, "%s: %d of %d intervals hold the truth", prog->name, covered, seen);
    tap_ok(ratio < prog->widest, "%s: they are %.2f times as wide as the errors are spread, at most %.1f", prog->name, ratio,
           prog->widest);
}

int main(void)
{
    static const struct program programs[] = {
        {"visits far shorter than the interval", 1e9, 1, 0.01, 0.3, 1.2},
        {"visits as long as it", 1e9, 1, 1, 0.3, 1.5},
        {"of ten", 1e9, 1, 10, 0.3, 1.5},
        {"of a hundred", 1e9, 1, 100, 0.3, 1.5},
        {"rare and short", 1e9, 1, 0.1, 0.02, 1.3},
        {"rare and as long as five", 1e9, 1, 5, 0.02, 1.5},
        {"hardly ever, for fifty", 1e9, 1, 50, 0.03, 1.5},
        {"short ones in long phases", 200, 0.5, 0.01, 0.5, 1.3},
        {"short ones in phases of five", 5, 0.5, 0.01, 0.5, 1.5},
        {"visits as long as the interval in long phases", 300, 0.3, 1, 0.5, 2.5},
    };
    test_by_hand();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        test_coverage(&programs[i]);
    return tap_done();
}
