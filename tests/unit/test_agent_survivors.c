/* Which sampled objects are watched, compared with a model that keeps everything; and whether the watched objects give right estimates
 * of the live ones, in a stream of objects that are born, displaced and die.
 * tier: quick
 * timeout: 60
 *
 * The seeds are fixed, so a run repeats exactly; a figure beyond 6 standard errors would occur by chance with one of 5e8 seeds. */
#include "../tap.h"

#include "agent/collect/live/survivors.h"
#include "base/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 40, STEPS = 12000, RUNS = 4000, STREAM = 600, KINDS = 3 };

static uint64_t seed;

static uint64_t draw(void)
{
    return hash_mix(++seed * UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t below(uint64_t n)
{
    return draw() % n;
}

/* ---- the model: a list that is searched completely each time ---- */

struct modelled {
    bool is_held, was_gone;
    uint64_t span;
    double priority, threshold;
};

static struct modelled everything[STEPS];
static bool *alive_flags;

static double priority_of(uint64_t span, uint64_t random)
{
    return (double)span / ((double)((random >> 11) + 1) * 0x1p-53);
}

/* Returns the number of the object that is removed, or -1. */
static int model_add(int number, uint64_t span, uint64_t random)
{
    int held = 0, least = number;
    everything[number] = (struct modelled){.is_held = true, .span = span, .priority = priority_of(span, random)};
    for (int i = 0; i <= number; i++) {
        held += everything[i].is_held;
        if (everything[i].is_held && everything[i].priority < everything[least].priority)
            least = i;
    }
    if (held <= HELD)
        return -1;
    everything[least].is_held = false;
    for (int i = 0; i <= number; i++)
        if (everything[i].is_held && everything[i].threshold < everything[least].priority)
            everything[i].threshold = everything[least].priority;
    return least;
}

static int number_of(const void *object)
{
    return (int)((const char *)object - (const char *)everything);
}

static bool is_same(const struct survivors *s)
{
    uint32_t held = 0;
    for (int i = 0; i < STEPS; i++)
        held += everything[i].is_held;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct modelled *m = &everything[number_of(s->held[i].object)];
        double bytes = fmax((double)m->span, m->threshold);
        if (!m->is_held || fabs((double)survivors_bytes(s, &s->held[i]) - bytes) > 0.5 + 1e-9 * bytes)
            return false;
    }
    return held == s->count;
}

/* Some objects die. The set must have the right weights for them, too. */
static bool let_die(struct survivors *s, int one_in)
{
    bool is_right = true;
    uint32_t dead = 0, count = s->count;
    for (uint32_t i = 0; i < count; i++) {
        alive_flags[i] = below((uint64_t)one_in) != 0;
        dead += !alive_flags[i];
    }
    is_right = survivors_part(s, alive_flags) == dead && s->count == count - dead;
    for (uint32_t i = s->count; i < count; i++) {
        struct modelled *m = &everything[number_of(s->held[i].object)];
        double bytes = fmax((double)m->span, m->threshold);
        is_right = is_right && m->is_held && fabs((double)survivors_bytes(s, &s->held[i]) - bytes) <= 0.5 + 1e-9 * bytes;
        m->is_held = false;
    }
    return is_right;
}

static void test_model(void)
{
    struct survivors s;
    int wrong = 0, gone_wrong = 0, died_wrong = 0, checked = 0, displaced = 0;
    seed = 1;
    if (!tap_ok(!survivors_init(&s, HELD), "a set of %d", HELD))
        return;
    for (int i = 0; i < STEPS; i++) {
        /* Sometimes a series of ever larger objects comes, which displace all present ones, in order. */
        uint64_t span = i / 100 % 10 ? 16 + below(1 << 20) : (uint64_t)(i % 100 + 1) << 30, random = draw();
        void *gone = NULL;
        int expected = model_add(i, span, random);
        bool has_gone = survivors_add(&s, span, span, (char *)everything + i, random, &gone);
        displaced += has_gone;
        gone_wrong += has_gone != (expected >= 0) || (has_gone && number_of(gone) != expected);
        if (!below(200))
            died_wrong += !let_die(&s, 1 + (int)below(20));
        if (!below(50)) {
            wrong += !is_same(&s);
            checked++;
        }
    }
    tap_ok(displaced > STEPS / 2 && !gone_wrong, "who is displaced is whom the model displaces, %d times", displaced);
    tap_ok(checked > 100 && !wrong, "the same are held, and stand for as much, at %d looks", checked);
    tap_ok(!died_wrong, "and the same are taken out");
    survivors_deinit(&s);
}

/* ---- whether it is right on average ---- */

struct object {
    int kind;
    uint64_t size;
    bool is_alive;
};

/* Sums over the runs: the error of the estimate, its square, and the same for the estimate's variance. */
struct sums {
    double off, off_squared, excess, excess_squared, truth;
};

static void put(struct sums *sums, double off, double variance, double truth)
{
    double excess = off * off - variance;
    sums->off += off;
    sums->off_squared += off * off;
    sums->excess += excess;
    sums->excess_squared += excess * excess;
    sums->truth += truth;
}

static void sweep(struct survivors *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        alive_flags[i] = ((struct object *)s->held[i].object)->is_alive;
    survivors_part(s, alive_flags);
}

/* Objects of kind 0 all live on, each object of kind 1 dies sooner or later, and kind 2 is large and rare. As in the JVM, objects are
 * first sampled by their size, so each stands for more bytes than it has. */
static void run(struct survivors *s, struct object *objects, struct sums *sums)
{
    const double interval = 4096;
    double truth[KINDS] = {0}, found[KINDS] = {0}, variance[KINDS] = {0};
    void *gone;
    s->count = s->gone_count = 0;
    s->arrivals = 0;
    for (int i = 0; i < STREAM; i++) {
        struct object *o = &objects[i];
        int kind = !below(20) ? 2 : (int)below(2);
        *o = (struct object){.kind = kind, .size = kind == 2 ? 4096 + below(1 << 16) : 64 + below(1024), .is_alive = true};
        double chance = -expm1(-(double)o->size / interval);
        if ((double)(draw() >> 11) * 0x1p-53 < chance)
            survivors_add(s, (uint64_t)((double)o->size / chance + 0.5), o->size, o, draw(), &gone);
        struct object *other = &objects[below((uint64_t)i + 1)];
        other->is_alive = other->is_alive && other->kind != 1;
        if (i % 97 == 96)
            sweep(s);
    }
    sweep(s);
    for (int i = 0; i < STREAM; i++)
        truth[objects[i].kind] += objects[i].is_alive ? (double)objects[i].size : 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct object *o = s->held[i].object;
        uint64_t bytes = survivors_bytes(s, &s->held[i]);
        found[o->kind] += (double)bytes;
        variance[o->kind] += survivors_variance(bytes, o->size);
    }
    for (int kind = 0; kind < KINDS; kind++)
        put(&sums[kind], found[kind] - truth[kind], variance[kind], truth[kind]);
}

static void test_average(void)
{
    struct survivors s;
    struct sums sums[KINDS] = {0};
    struct object *objects = calloc(STREAM, sizeof *objects);
    seed = 1 << 20;
    if (!objects || survivors_init(&s, HELD)) {
        tap_ok(false, "no memory");
        return;
    }
    for (int i = 0; i < RUNS; i++)
        run(&s, objects, sums);
    for (int kind = 0; kind < KINDS; kind++) {
        double off = sums[kind].off / RUNS, error = sqrt(sums[kind].off_squared) / RUNS;
        double excess = sums[kind].excess / RUNS, excess_error = sqrt(sums[kind].excess_squared) / RUNS;
        tap_ok(fabs(off) <= 6 * error, "kind %d: off by %.0f of %.0f bytes on average, standard error %.0f", kind, off,
               sums[kind].truth / RUNS, error);
        tap_ok(fabs(excess) <= 6 * excess_error, "kind %d: the variance is the one that is reported, off by %.3g, standard error %.3g",
               kind, excess, excess_error);
        tap_ok(error < 0.05 * sums[kind].truth / RUNS, "kind %d: and this would show an error of a third", kind);
    }
    survivors_deinit(&s);
    free(objects);
}

/* With room for all objects nothing is estimated: each stands for its span. */
static void test_room(void)
{
    struct survivors s;
    void *gone = NULL;
    uint64_t sum = 0;
    bool displaced = false;
    if (!tap_ok(!survivors_init(&s, HELD), "a set with room"))
        return;
    for (uint64_t i = 1; i <= HELD; i++)
        displaced |= survivors_add(&s, i, i, NULL, draw(), &gone);
    for (uint32_t i = 0; i < s.count; i++)
        sum += survivors_bytes(&s, &s.held[i]);
    tap_ok(!displaced && sum == HELD * (HELD + 1) / 2, "holds all, for what they are");
    tap_ok(survivors_add(&s, UINT64_C(1) << 62, 1, NULL, 0, &gone) && s.count == HELD, "and one more displaces one");
    survivors_deinit(&s);
}

int main(void)
{
    alive_flags = calloc(HELD, sizeof *alive_flags);
    test_model();
    test_average();
    test_room();
    free(alive_flags);
    return tap_done();
}
