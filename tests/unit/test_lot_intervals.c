/* Clocks by lot and the intervals of reports together: programs with many threads are simulated, the agent's code draws lots among their
 * threads, clocks expire as they do in the kernel, and the report's code computes intervals. 93 to 97 of 100 intervals must contain what
 * the program really did.
 * tier: quick
 * timeout: 120 */
#include "../tap.h"

#include "agent/hot/signal/handler.h"
#include "agent/trigger/lot.h"
#include "profile/figures/stats.h"
#include "profile_maker.h"

#include <math.h>
#include <string.h>

enum { THREADS_MOST = 200, GROUPS = 5, METHODS = 3, FIGURES = GROUPS + METHODS, ROUNDS = 600 };

/* At least this many of the intervals count in each program: 600 rounds, with 5 figures of a hundredth or more. If 95 % hold, less than
 * 93 % or more than 97 % of 3,000 come by chance once in 2,000,000 times; if 94.5 or 95.5 % hold, once in 5,000. The seed is fixed, so a
 * test that passes always passes. */
enum { INTERVALS_LEAST = 3000 };
static const double HELD_LEAST = 0.93, HELD_MOST = 0.97, SHARE_LEAST = 0.01;

static uint64_t seed = 88172645463325252u;

struct program {
    const char *name;
    uint32_t threads, draws;
    double use_ns[GROUPS]; /* mean CPU time of a thread between two draws, by group; a fifth of the threads is in each group */
    double burst;          /* the chance that a thread uses five times as much */
    double slice_ns;       /* a thread does one thing for this long on average */
    double alike;          /* the chance that it does the same again */
    double part, least;    /* how many threads are drawn (lot_draw) */
    double interval_ns;
    double poller_ns; /* CPU time of the first thread between two draws, if it is restless; 0 = it is like the others */
};

static double unit(void)
{
    return (double)(handler_random(&seed) >> 11) / (double)(UINT64_C(1) << 53);
}

/* A thread: its clock, what it does at present, and for how long. */
struct worker {
    uint32_t group, method, window;
    double left_ns, due_ns, period_ns, chance;
};

enum { POLLER_TURNS = 5 }; /* between two draws of the others */

struct run {
    struct profile profile;
    uint32_t stacks[GROUPS][METHODS];
    struct worker workers[THREADS_MOST];
    struct lot_ticket tickets[THREADS_MOST];
    double truth[FIGURES];
    uint32_t window;
    uint8_t turn, drawn_turn;
};

static void take_sample(struct run *r, uint32_t thread)
{
    const struct worker *w = &r->workers[thread];
    struct profile_sample s = {.weight = (uint64_t)(w->period_ns / w->chance),
                               .thread = thread + 1, /* 0 is "main" */
                               .stack = r->stacks[w->group][w->method],
                               .time_ns = r->profile.sample_count + 1,
                               .window = w->window,
                               .chance = w->window ? (uint8_t)(w->chance * 100) : 0};
    profile_add_sample(&r->profile, &s);
}

static void begin_work(const struct program *p, struct worker *w)
{
    w->left_ns = -log(1 - unit()) * p->slice_ns;
    if (unit() >= p->alike)
        w->method = (uint32_t)(unit() * unit() * METHODS);
}

/* Uses CPU time on one thing, in which its clock may expire. */
static void use(struct run *r, uint32_t thread, double ns)
{
    struct worker *w = &r->workers[thread];
    r->truth[w->group] += ns;
    r->truth[GROUPS + w->method] += ns;
    w->left_ns -= ns;
    for (w->due_ns -= w->chance > 0 ? ns : 0; w->chance > 0 && w->due_ns < 0; w->due_ns += w->period_ns)
        take_sample(r, thread);
}

static void run_thread(struct run *r, const struct program *p, uint32_t thread, double mean_ns)
{
    struct worker *w = &r->workers[thread];
    double all = mean_ns * (0.5 + unit()) * (unit() < p->burst ? 5 : 1), rest = all;
    while (rest > 0) {
        if (w->left_ns <= 0)
            begin_work(p, w);
        double ns = fmin(rest, w->left_ns);
        use(r, thread, ns);
        rest -= ns;
    }
    r->tickets[thread].use = (r->tickets[thread].use + all) / 2;
}

static void set_clock(struct run *r, const struct program *p, uint32_t thread)
{
    struct worker *w = &r->workers[thread];
    const struct lot_ticket *t = &r->tickets[thread];
    if (t->chance >= 1 && w->chance >= 1)
        return;
    double mean = t->chance < 1 ? fmax(p->interval_ns * t->chance, fmin(p->interval_ns, 1e6)) : p->interval_ns;
    w->chance = t->drawn ? t->chance : 0;
    w->period_ns = t->chance < 1 ? mean * (0.5 + unit()) : mean;
    w->due_ns = w->period_ns * unit();
    w->window = t->drawn && t->chance < 1 ? ++r->window : 0;
}

static void draw(struct run *r, const struct program *p, uint32_t first)
{
    uint32_t order[THREADS_MOST], count = p->threads - first;
    lot_chances(r->tickets + first, count, fmax(p->least, p->part * lot_effective(r->tickets + first, count)));
    lot_draw_tickets(&seed, r->tickets + first, count, order);
    for (uint32_t i = first; i < p->threads; i++)
        set_clock(r, p, i);
}

static void run_poller(struct run *r, const struct program *p)
{
    for (int i = 0; i < POLLER_TURNS; i++) {
        r->tickets[0] = (struct lot_ticket){.chance = 1.0 / LOT_TURNS};
        r->tickets[0].drawn = lot_next_turn(&seed, &r->turn, &r->drawn_turn);
        set_clock(r, p, 0);
        run_thread(r, p, 0, p->poller_ns / POLLER_TURNS);
    }
}

/* A recording that begins when its threads have been drawn for a while. */
static void record(struct run *r, const struct program *p)
{
    profile_drop_samples(&r->profile);
    memset(r->truth, 0, sizeof r->truth);
    r->window = 0;
    for (uint32_t i = 0; i < p->threads; i++) {
        r->workers[i] = (struct worker){.group = i % GROUPS};
        r->tickets[i] = (struct lot_ticket){.use = p->use_ns[i % GROUPS]};
    }
    uint32_t first = p->poller_ns > 0;
    for (uint32_t i = 0; i < p->draws; i++) {
        draw(r, p, first);
        if (first)
            run_poller(r, p);
        for (uint32_t thread = first; thread < p->threads; thread++)
            run_thread(r, p, thread, p->use_ns[r->workers[thread].group]);
    }
}

static const struct stats_figure *figure(const struct stats *s, const struct profile *p, uint32_t number)
{
    char name[32];
    snprintf(name, sizeof name, number < GROUPS ? "app.G.%u" : "app.M.%u", number < GROUPS ? number : number - GROUPS);
    for (uint32_t i = 0; i < s->methods.count; i++)
        if (!strcmp(profile_text(p, s->methods.rows[i].label), name))
            return &s->methods.rows[i].total;
    return NULL;
}

static void count(const struct run *r, uint32_t *intervals, uint32_t *held, double *widths)
{
    struct stats s;
    double all = 0;
    for (uint32_t i = 0; i < GROUPS; i++)
        all += r->truth[i];
    if (stats_compute(&s, &r->profile))
        return; /* out of memory: then too few intervals are counted */
    for (uint32_t i = 0; i < FIGURES; i++) {
        double truth = r->truth[i] / all;
        const struct stats_figure *f = figure(&s, &r->profile, i);
        if (truth < SHARE_LEAST)
            continue;
        (*intervals)++;
        *held += f && f->interval.low <= truth && truth <= f->interval.high;
        *widths += f ? f->interval.high - f->interval.low : 1;
    }
    stats_deinit(&s);
}

static void test_program(const struct program *p)
{
    static struct run r;
    char frames[64];
    uint32_t intervals = 0, held = 0, samples = 0;
    double widths = 0;
    maker_init(&r.profile);
    maker_setting(&r.profile, "clock", "sigtrap");
    for (uint32_t g = 0; g < GROUPS; g++)
        for (uint32_t m = 0; m < METHODS; m++) {
            snprintf(frames, sizeof frames, "app.G.%u;app.M.%u", g, m);
            r.stacks[g][m] = maker_stack(&r.profile, frames);
        }
    for (uint32_t i = 0; i < THREADS_MOST; i++) {
        snprintf(frames, sizeof frames, "t%u", i);
        maker_sample_of(&r.profile, frames, "app.G.0", 1);
    }
    for (int round = 0; round < ROUNDS; round++) {
        record(&r, p);
        samples += r.profile.sample_count;
        count(&r, &intervals, &held, &widths);
    }
    tap_ok(intervals >= INTERVALS_LEAST && held >= HELD_LEAST * intervals && held <= HELD_MOST * intervals,
           "%s: %.1f %% of %u intervals hold, %u samples and %.0f windows in each recording, mean width %.3f", p->name,
           100.0 * held / intervals, intervals, samples / ROUNDS, (double)r.window, widths / intervals);
    profile_deinit(&r.profile);
}

int main(void)
{
    static const struct program programs[] = {
        {"loads in the ratio 1 to 16", 200, 12, {2e6, 4e6, 8e6, 16e6, 32e6}, 0, 5e5, 0, 0.25, 1, 10e6},
        {"the same with fast clocks", 100, 6, {1e6, 2e6, 4e6, 8e6, 16e6}, 0, 5e5, 0, 0.25, 1, 0.25e6},
        {"a server, whose threads do many things", 75, 40, {3e6, 3e6, 5e6, 5e6, 8e6}, 0.05, 3e5, 0, 0.06, 5, 10e6},
        {"threads that do one thing for long", 75, 40, {3e6, 3e6, 5e6, 5e6, 8e6}, 0.05, 5e6, 0.9, 0.06, 5, 10e6},
        {"a few windows", 60, 5, {3e6, 3e6, 5e6, 5e6, 8e6}, 0.05, 3e5, 0.5, 0.06, 5, 10e6},
        {"bursts", 100, 40, {1e6, 1e6, 1e6, 1e6, 20e6}, 0.1, 1e6, 0.5, 0.1, 5, 10e6},
        {"a server with a restless poller", 51, 40, {10e6, 10e6, 10e6, 10e6, 10e6}, 0, 3e5, 0, 0.06, 5, 10e6, .poller_ns = 200e6},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        test_program(&programs[i]);
    return tap_done();
}
