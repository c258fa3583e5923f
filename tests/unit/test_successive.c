/* Design effects of successive samples: by hand, compared with counting by definition, and that intervals with them contain the true
 * value.
 * tier: default
 * timeout: 300 */
#include "../tap.h"

#include "profile/figures/stats.h"
#include "profile/figures/successive.h"
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
static const char *frames_of(char what)
{
    static char frames[64];
    if (what == '2')
        return "app.M.main;app.A.a;app.A.a";
    if (what == 'B')
        return "app.M.main;app.A.a;app.A.b";
    snprintf(frames, sizeof frames, "app.M.main;app.A.%c", what);
    return frames;
}

static void sample(struct profile *p, char what)
{
    maker_sample(p, frames_of(what), 1000);
}

enum { LAG = 32 }; /* as in successive.c */

/* The stacks for the letters, each for this many samples; after '|' there is another thread. */
static void make(struct profile *p, const char *clock, const char *samples, int times)
{
    char thread[2] = "0";
    maker_init(p);
    maker_setting(p, "clock", clock);
    for (const char *c = samples; *c; c++)
        if (*c == '|')
            thread[0]++;
        else
            for (int i = 0; i < times; i++)
                maker_sample_of(p, thread, frames_of(*c), 1000);
}

static double effect_in(const struct profile *p, const char *method, bool total)
{
    struct stats s;
    if (stats_compute(&s, p))
        tap_note("out of memory");
    const struct stats_row *row = row_of(&s, p, method);
    double effect = row ? (total ? row->total.effect : row->self.effect) : -1;
    stats_deinit(&s);
    return effect;
}

static double effect_of(const char *samples, const char *method, bool total, int times)
{
    struct profile p;
    make(&p, "sigtrap", samples, times);
    double effect = effect_in(&p, method, total);
    profile_deinit(&p);
    return effect;
}

/* Eight letters of one thread, by the number of neighbors that differ; k of the letters show it. */
static bool is(double effect, uint32_t next, uint32_t next_but_one, uint32_t ends, uint32_t k)
{
    struct successive_whole whole = {.samples = 8 * LAG, .pairs = 7 * LAG, .triples = 6 * LAG, .ends = 2};
    struct successive s = {.next = next * LAG, .next_but_one = next_but_one * LAG, .ends = ends};
    return effect == successive_effect(s, k * LAG, &whole);
}

static void test_by_hand(void)
{
    tap_ok(is(effect_of("bbbabbbb", "app.A.a", false, LAG), 2, 2, 0, 1), "a short run");
    tap_ok(is(effect_of("bbaaaabb", "app.A.a", false, LAG), 2, 4, 0, 4), "a run");
    tap_ok(is(effect_of("aaaabbbb", "app.A.a", false, LAG), 1, 2, 1, 4), "a run at the end");
    tap_ok(is(effect_of("bbbbbbba", "app.A.a", false, LAG), 1, 1, 1, 1), "at the very end");
    tap_ok(effect_of("babababa", "app.A.a", false, LAG) == 1, "in turns: no surer than independent draws");
    tap_ok(effect_of("aaaa", "app.A.a", false, LAG) == 1 && effect_of("bbbb", "app.M.main", false, LAG) == 1, "all or none: unknown");
    tap_ok(is(effect_of("bbBbbbbb", "app.A.a", true, LAG), 2, 2, 0, 1), "total: as a caller, too");
    tap_ok(is(effect_of("bb2abbbb", "app.A.a", true, LAG), 2, 4, 0, 2), "once for each sample, however often it recurses");
    tap_ok(is(effect_of("2bbbbbb2", "app.A.a", true, LAG), 2, 2, 2, 2), "once for each end as well");
    tap_ok(is(effect_of("aaBaaabb", "app.A.b", true, LAG), 3, 4, 1, 3), "what one stack has deeper and the next less deep");
    tap_ok(effect_of("bbaaaabb", "app.A.a", false, 1) == 1, "too few to tell");
}

/* One thread shows a and the other b: nothing changes in either thread, and each has two ends. A thread with one sample has no ends. */
static void test_threads(void)
{
    struct successive_whole two = {.samples = 16 * LAG, .pairs = 14 * LAG, .triples = 12 * LAG, .ends = 4};
    double effect = effect_of("aaaaaaaa|bbbbbbbb", "app.A.a", false, LAG);
    tap_ok(effect < 0.1 && effect == successive_effect((struct successive){.ends = 2}, 8 * LAG, &two), "two threads are two runs: %g",
           effect);
    tap_ok(effect_of("a|b|b|a|b", "app.A.a", false, 1) == 1, "threads of one sample are independent draws");
    tap_ok(effect_of("ab|ba|ab", "app.A.a", false, 1) == 1, "and where no thread has more, nobody knows what they do in between");
}

/* The order of samples is known for some clocks only, and never for virtual threads. */
static void test_clocks(void)
{
    static const char *const runs = "aaaaaaaabbbbbbbb";
    struct profile p;
    make(&p, "itimer", runs, LAG);
    tap_ok(effect_in(&p, "app.A.a", false) < 0.2, "one clock for all: by time");
    profile_deinit(&p);
    make(&p, "nobody's", runs, LAG);
    tap_ok(effect_in(&p, "app.A.a", false) == 1, "an unknown one: independent draws");
    profile_deinit(&p);
    make(&p, "sigtrap", runs, LAG);
    for (uint32_t i = 0; i < p.thread_count; i++)
        p.threads[i].virtual_threads = 2;
    tap_ok(effect_in(&p, "app.A.a", false) == 1, "virtual threads: independent draws");
    profile_deinit(&p);
}

enum { N = 4000, RUNS = 400 };

/* A program with phases of exponential length. Some phases are of a kind that works in `a`: in these it visits `a` for exponential
 * times, with probability p. Lengths are in samples' time. */
struct program {
    const char *name;
    double phase, kind, stay, p;
    double widest; /* intervals, as multiples of 2 * 1.96 standard deviations of the error */
};

static double length(uint64_t *state, double mean)
{
    return -log(1 - uniform(state)) * mean;
}

/* Samples at even distances, with a random start. *truth: the true share of `a`. */
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

/* Threads that live for `length` samples' time. A part p of them works in `a` for all its life; beside them another thread lives on and
 * does not. */
struct crowd {
    const char *name;
    double length, p, widest;
};

static void simulate_crowd(struct profile *prof, const struct crowd *c, uint64_t *state, double *truth)
{
    enum { THREADS = 600, OTHER = 500 };
    double in_a = 0;
    char name[16];
    for (int i = 0; i < THREADS; i++) {
        bool a = uniform(state) < c->p;
        in_a += a ? c->length : 0;
        snprintf(name, sizeof name, "%d", i);
        for (double at = uniform(state); at < c->length; at++)
            maker_sample_of(prof, name, frames_of(a ? 'a' : 'b'), 1000);
    }
    for (int i = 0; i < OTHER; i++)
        sample(prof, 'b');
    *truth = in_a / (THREADS * c->length + OTHER);
}

static const double GOOD = 0.918; /* of 95 in a hundred intervals */

struct coverage {
    int covered, seen;
    double width, squares;
};

static void take_coverage(struct coverage *c, struct profile *p, double truth)
{
    struct stats s;
    stats_compute(&s, p);
    const struct stats_row *row = row_of(&s, p, "app.A.a");
    if (row) {
        struct interval in = row->self.interval;
        c->seen++;
        c->covered += in.low <= truth && truth <= in.high;
        c->width += in.high - in.low;
        c->squares += (row->self.share - truth) * (row->self.share - truth);
    }
    stats_deinit(&s);
}

static void judge_coverage(const struct coverage *c, const char *name, double least, double widest)
{
    double ratio = c->width / c->seen / (2 * 1.96 * sqrt(c->squares / c->seen));
    tap_ok(c->covered >= least * c->seen && c->seen > RUNS * 3 / 4, "%s: %d of %d intervals contain the true value", name, c->covered,
           c->seen);
    tap_ok(ratio < widest, "%s: they are %.2f times as wide as the errors are spread, at most %.1f", name, ratio, widest);
}

static void test_coverage(const struct program *prog)
{
    struct coverage c = {0};
    uint64_t state = 88172645463325252ULL;
    for (int i = 0; i < RUNS; i++) {
        struct profile p;
        double truth;
        maker_init(&p);
        maker_setting(&p, "clock", "sigtrap");
        simulate(&p, prog, &state, &truth);
        take_coverage(&c, &p, truth);
        profile_deinit(&p);
    }
    judge_coverage(&c, prog->name, GOOD, prog->widest);
}

static void test_crowd(const struct crowd *crowd)
{
    struct coverage c = {0};
    uint64_t state = 88172645463325252ULL;
    for (int i = 0; i < RUNS; i++) {
        struct profile p;
        double truth;
        maker_init(&p);
        maker_setting(&p, "clock", "sigtrap");
        simulate_crowd(&p, crowd, &state, &truth);
        take_coverage(&c, &p, truth);
        profile_deinit(&p);
    }
    judge_coverage(&c, crowd->name, GOOD, crowd->widest);
}

/* Work that repeats with `period` and is in `a` for the first quarter, with a clock that draws its own period after two samples, and
 * then again every 16 samples. */
static void test_periodic(double period)
{
    struct coverage c = {0};
    uint64_t state = 88172645463325252ULL;
    char name[40];
    for (int i = 0; i < RUNS; i++) {
        struct profile p;
        maker_init(&p);
        maker_setting(&p, "clock", "sigtrap");
        double at = uniform(&state), step = 1;
        for (int n = 0; n < N; n++, at += step) {
            if (n % 16 == 2)
                step = 0.5 + uniform(&state);
            sample(&p, fmod(at, period) < period / 4 ? 'a' : 'b');
        }
        take_coverage(&c, &p, 0.25);
        profile_deinit(&p);
    }
    snprintf(name, sizeof name, "work of period %g", period);
    judge_coverage(&c, name, GOOD, 3);
}

int main(void)
{
    static const struct crowd crowds[] = {
        {"threads of a fifth of an interval", 0.2, 0.5, 1.5},
        {"of a little more than two", 2.1, 0.5, 2.5},
        {"of three and a half", 3.5, 0.5, 1.5},
        {"all of them alike", 3.5, 1, 1.5},
    };
    static const struct program programs[] = {
        {"visits far shorter than the interval", 1e9, 1, 0.01, 0.3, 1.2},
        {"visits as long as it", 1e9, 1, 1, 0.3, 3},
        {"of ten", 1e9, 1, 10, 0.3, 9},
        {"of a hundred", 1e9, 1, 100, 0.3, 16},
        {"rare and short", 1e9, 1, 0.1, 0.02, 1.3},
        {"rare and as long as five", 1e9, 1, 5, 0.02, 7},
        {"hardly ever, for fifty", 1e9, 1, 50, 0.03, 15},
        {"short ones in long phases", 200, 0.5, 0.01, 0.5, 1.3},
        {"short ones in phases of five", 5, 0.5, 0.01, 0.5, 1.5},
        {"visits as long as the interval in long phases", 300, 0.3, 1, 0.5, 3},
    };
    test_by_hand();
    test_threads();
    test_clocks();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        test_coverage(&programs[i]);
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++)
        test_crowd(&crowds[i]);
    test_periodic(0.31);
    test_periodic(1);
    test_periodic(3.7);
    return tap_done();
}
