#include "profile/figures/successive.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The lag, in samples. A clock keeps a period for 16 samples, and then draws a new one. Work in step with the clock, or nearly so, seems
 * to have long runs that are not real, but these hardly last beyond one new draw. */
enum { LAG = 32 };

/* One pass over the samples. `on_path` counts the frames of a row between the root and `fork`, the last node that the stacks of a window
 * share. The frames up to `fork` are in all of these stacks. */
struct pass {
    const struct profile *p;
    const uint32_t *row_of;
    struct successive_pair *pairs;
    uint32_t *depth, *on_path, *touched;
    double *of_window; /* by row: the weight of the window's samples that show it */
    uint8_t *shows;
    uint32_t touched_count, fork;
};

static uint32_t row_at(const struct pass *r, uint32_t node)
{
    return r->row_of[node];
}

static uint32_t fork_of(const struct pass *r, uint32_t a, uint32_t b)
{
    const struct profile_node *nodes = r->p->nodes;
    while (a != b) {
        if (r->depth[a] >= r->depth[b])
            a = nodes[a].parent;
        else
            b = nodes[b].parent;
    }
    return a;
}

static void count_path(struct pass *r, uint32_t from, uint32_t to, int by)
{
    for (; from != to; from = r->p->nodes[from].parent)
        if (row_at(r, from))
            r->on_path[row_at(r, from) - 1] += (uint32_t)by;
}

static void move_fork(struct pass *r, uint32_t to)
{
    uint32_t common = fork_of(r, r->fork, to);
    count_path(r, r->fork, common, -1);
    count_path(r, to, common, 1);
    r->fork = to;
}

static void show(struct pass *r, uint32_t row, uint8_t bit)
{
    if (!row)
        return;
    if (!r->shows[row - 1])
        r->touched[r->touched_count++] = row - 1;
    r->shows[row - 1] |= bit;
}

/* Adds a window. bits: the samples of the window that show the row; bit 0 is the first sample. */
static void add(struct successive *s, uint8_t bits, int width)
{
    s->next += (bits ^ bits >> 1) & 1;
    s->next_but_one += width == 3 ? (bits ^ bits >> 2) & 1 : 0;
}

static void take_self(struct pass *r, const uint32_t *stacks, int width)
{
    for (int i = 0; i < width; i++)
        show(r, row_at(r, stacks[i]), (uint8_t)(1 << i));
    while (r->touched_count) {
        uint32_t row = r->touched[--r->touched_count];
        add(&r->pairs[row].self, r->shows[row], width);
        r->shows[row] = 0;
    }
}

static void take_total(struct pass *r, const uint32_t *stacks, int width)
{
    uint32_t fork = fork_of(r, stacks[0], stacks[1]);
    move_fork(r, width == 3 ? fork_of(r, fork, stacks[2]) : fork);
    for (int i = 0; i < width; i++)
        for (uint32_t node = stacks[i]; node != r->fork; node = r->p->nodes[node].parent)
            show(r, row_at(r, node), (uint8_t)(1 << i));
    while (r->touched_count) {
        uint32_t row = r->touched[--r->touched_count];
        if (!r->on_path[row])
            add(&r->pairs[row].total, r->shows[row], width);
        r->shows[row] = 0;
    }
}

/* Counts a group of two or three samples, each one lag after the one before. */
static void take_window(struct pass *r, const uint32_t *stacks, int width)
{
    if (stacks[0] == stacks[1] && (width == 2 || stacks[1] == stacks[2]))
        return;
    take_self(r, stacks, width);
    take_total(r, stacks, width);
}

static void add_end(struct successive *s, bool single)
{
    s->ends += !single;
    s->singles += single;
}

static void take_end(struct pass *r, uint32_t stack, bool single)
{
    if (row_at(r, stack))
        add_end(&r->pairs[row_at(r, stack) - 1].self, single);
    for (uint32_t node = stack; node; node = r->p->nodes[node].parent)
        show(r, row_at(r, node), 1);
    while (r->touched_count) {
        uint32_t row = r->touched[--r->touched_count];
        add_end(&r->pairs[row].total, single);
        r->shows[row] = 0;
    }
}

static const struct profile_sample *sample_at(const struct successive_order *o, uint32_t i)
{
    return &o->profile->samples[o->samples[i]];
}

/* Whether the sample is a run alone. A virtual thread uses the clocks of its carriers, and represents many threads. */
static bool is_single(const struct successive_order *o, uint32_t i)
{
    if (o->by == SUCCESSIVE_BY_WINDOW)
        return !sample_at(o, i)->window;
    return o->by == SUCCESSIVE_UNKNOWN || o->profile->threads[sample_at(o, i)->thread].virtual_threads;
}

static bool is_of_one_run(const struct successive_order *o, uint32_t i, uint32_t other)
{
    const struct profile_sample *a = sample_at(o, i), *b = sample_at(o, other);
    return o->by == SUCCESSIVE_BY_WINDOW ? a->window == b->window : a->thread == b->thread;
}

/* Returns the end of the run that begins at i. */
static uint32_t end_of_run(const struct successive_order *o, uint32_t i)
{
    if (o->by == SUCCESSIVE_BY_TIME)
        return o->count;
    uint32_t end = i + 1;
    while (end < o->count && !is_single(o, i) && is_of_one_run(o, i, end))
        end++;
    return end;
}

/* Notes in `shows` and `touched` which rows a sample shows. */
static void show_stack(struct pass *r, uint32_t stack, bool self)
{
    if (self)
        show(r, row_at(r, stack), 1);
    for (uint32_t node = stack; node && !self; node = r->p->nodes[node].parent)
        show(r, row_at(r, node), 1);
}

static struct window_sums *windows_of(const struct pass *r, uint32_t row, bool self)
{
    return self ? &r->pairs[row].self.windows : &r->pairs[row].total.windows;
}

static double weight_of(const struct successive_order *o, uint32_t begin, uint32_t end)
{
    double weight = 0;
    for (uint32_t i = begin; i < end; i++)
        weight += (double)sample_at(o, i)->weight;
    return weight;
}

/* Counts a window of a clock by lot. The first pass adds for each row the weight of the window's samples that show it. The second pass
 * adds a row's weight at the first sample that shows the row. */
static void take_window_of_lot(struct pass *r, const struct successive_order *o, uint32_t begin, uint32_t end, bool self)
{
    double length = weight_of(o, begin, end), chance = window_chance(sample_at(o, begin));
    for (uint32_t i = begin; i < end; i++) {
        show_stack(r, sample_at(o, i)->stack, self);
        while (r->touched_count) {
            uint32_t row = r->touched[--r->touched_count];
            r->shows[row] = 0;
            r->of_window[row] += (double)sample_at(o, i)->weight;
            window_add_sample(windows_of(r, row, self), sample_at(o, i), chance);
        }
    }
    for (uint32_t i = begin; i < end; i++) {
        show_stack(r, sample_at(o, i)->stack, self);
        while (r->touched_count) {
            uint32_t row = r->touched[--r->touched_count];
            r->shows[row] = 0;
            window_add(windows_of(r, row, self), r->of_window[row], length, chance);
            r->of_window[row] = 0;
        }
    }
}

static void take_run(struct pass *r, const struct successive_order *o, uint32_t begin, uint32_t end)
{
    bool single = end - begin == 1;
    if (o->by == SUCCESSIVE_BY_WINDOW) {
        take_window_of_lot(r, o, begin, end, true);
        take_window_of_lot(r, o, begin, end, false);
        return;
    }
    take_end(r, sample_at(o, begin)->stack, single);
    if (!single)
        take_end(r, sample_at(o, end - 1)->stack, single);
    for (uint32_t i = begin; i + LAG < end; i++) {
        int width = i + 2 * LAG < end ? 3 : 2;
        const uint32_t stacks[3] = {sample_at(o, i)->stack, sample_at(o, i + LAG)->stack,
                                    width == 3 ? sample_at(o, i + 2 * LAG)->stack : 0};
        take_window(r, stacks, width);
    }
}

/* Determines which samples follow each other. This is unknown for other clocks than those in the table, for the rest of a recording
 * after samples were selected by their properties, and for samples that were added up. Such samples count as single. */
static enum successive_by order_by(const struct profile *p)
{
    static const struct {
        const char *clock;
        enum successive_by by;
    } clocks[] = {{"sigtrap", SUCCESSIVE_BY_THREAD},
                  {"signal", SUCCESSIVE_BY_THREAD},
                  {"timer", SUCCESSIVE_BY_THREAD},
                  {"itimer", SUCCESSIVE_BY_TIME}};
    bool by_clock = profile_kinds[p->kind].basis == PROFILE_BY_CLOCK;
    if (by_clock && p->windows)
        return SUCCESSIVE_BY_WINDOW;
    const char *clock = p->thinned || p->sampled > p->sample_count || !by_clock ? NULL : profile_setting(p, "clock");
    for (size_t i = 0; clock && i < sizeof clocks / sizeof *clocks; i++)
        if (!strcmp(clock, clocks[i].clock))
            return clocks[i].by;
    return SUCCESSIVE_UNKNOWN;
}

struct sort_context {
    const struct profile_sample *samples;
    enum successive_by by;
};

static int compare(const void *left, const void *right, void *context)
{
    const struct sort_context *c = context;
    const struct profile_sample *a = &c->samples[*(const uint32_t *)left], *b = &c->samples[*(const uint32_t *)right];
    if (c->by == SUCCESSIVE_BY_THREAD && a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (c->by == SUCCESSIVE_BY_WINDOW && a->window != b->window)
        return a->window < b->window ? -1 : 1;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return (a > b) - (a < b);
}

int successive_order_init(struct successive_order *o, const struct profile *p)
{
    struct sort_context context = {p->samples, order_by(p)};
    *o = (struct successive_order){.profile = p, .by = context.by};
    o->samples = malloc((p->sample_count + 1) * sizeof *o->samples);
    if (!o->samples)
        return -ENOMEM;
    for (; o->count < p->sample_count; o->count++)
        o->samples[o->count] = o->count;
    if (o->by != SUCCESSIVE_UNKNOWN)
        qsort_r(o->samples, o->count, sizeof *o->samples, compare, &context);
    return 0;
}

void successive_order_deinit(struct successive_order *o)
{
    free(o->samples);
    *o = (struct successive_order){0};
}

static void add_window_to_whole(struct window_whole *whole, const struct successive_order *o, uint32_t begin, uint32_t end)
{
    double chance = window_chance(sample_at(o, begin)), squares = whole->sums.singles;
    for (uint32_t i = begin; i < end; i++)
        window_add_sample(&whole->sums, sample_at(o, i), chance);
    window_whole_add(whole, weight_of(o, begin, end), whole->sums.singles - squares, chance);
}

struct successive_whole successive_whole(const struct successive_order *o)
{
    struct successive_whole whole = {
        .samples = o->count, .unknown = o->by == SUCCESSIVE_UNKNOWN, .by_window = o->by == SUCCESSIVE_BY_WINDOW};
    for (uint32_t i = 0, end; i < o->count; i = end) {
        end = end_of_run(o, i);
        uint32_t length = end - i;
        if (whole.by_window)
            add_window_to_whole(&whole.windows, o, i, end);
        whole.pairs += length > LAG ? length - LAG : 0;
        whole.triples += length > 2 * LAG ? length - 2 * LAG : 0;
        whole.ends += length > 1 ? 2 : 0;
        whole.singles += length == 1;
    }
    return whole;
}

int successive_count(const struct successive_order *o, const uint32_t *row_of, struct successive_pair *pairs, uint32_t row_count)
{
    const struct profile *p = o->profile;
    struct pass r = {.p = p, .row_of = row_of, .pairs = pairs};
    int rc = -ENOMEM;
    r.depth = calloc(p->node_count, sizeof *r.depth);
    r.on_path = calloc(row_count + 1, sizeof *r.on_path);
    r.touched = calloc(row_count + 1, sizeof *r.touched);
    r.shows = calloc(row_count + 1, sizeof *r.shows);
    r.of_window = calloc(row_count + 1, sizeof *r.of_window);
    if (r.depth && r.on_path && r.touched && r.shows && r.of_window) {
        for (uint32_t i = 1; i < p->node_count; i++)
            r.depth[i] = r.depth[p->nodes[i].parent] + 1;
        for (uint32_t i = 0, end; i < o->count; i = end) {
            end = end_of_run(o, i);
            take_run(&r, o, i, end);
        }
        rc = 0;
    }
    free(r.depth);
    free(r.on_path);
    free(r.touched);
    free(r.shows);
    free(r.of_window);
    return rc;
}

static void add_window_of_one(struct window_sums *s, const struct successive_order *o, uint32_t begin, uint32_t end, const bool *shows)
{
    double chance = window_chance(sample_at(o, begin)), before = s->weight;
    for (uint32_t i = begin; i < end; i++)
        if (shows[i])
            window_add_sample(s, sample_at(o, i), chance);
    window_add(s, s->weight - before, weight_of(o, begin, end), chance);
}

struct successive successive_count_one(const struct successive_order *o, const bool *shows)
{
    struct successive s = {0};
    for (uint32_t i = 0, end; i < o->count; i = end) {
        end = end_of_run(o, i);
        if (o->by == SUCCESSIVE_BY_WINDOW)
            add_window_of_one(&s.windows, o, i, end, shows);
        for (uint32_t at = i; at + LAG < end; at++) {
            s.next += shows[at] != shows[at + LAG];
            s.next_but_one += at + 2 * LAG < end && shows[at] != shows[at + 2 * LAG];
        }
        if (end - i == 1)
            s.singles += shows[i];
        else
            s.ends += (uint32_t)shows[i] + shows[end - 1];
    }
    return s;
}

/* Does for threads what take_window_of_lot does for rows. A window may show several threads, because virtual threads use their carrier's
 * clock. */
static void count_window_of_threads(const struct successive_order *o, uint32_t begin, uint32_t end, double *showing, struct successive *of)
{
    double length = weight_of(o, begin, end), chance = window_chance(sample_at(o, begin));
    for (uint32_t i = begin; i < end; i++) {
        showing[sample_at(o, i)->thread] += (double)sample_at(o, i)->weight;
        window_add_sample(&of[sample_at(o, i)->thread].windows, sample_at(o, i), chance);
    }
    for (uint32_t i = begin; i < end; i++) {
        uint32_t thread = sample_at(o, i)->thread;
        window_add(&of[thread].windows, showing[thread], length, chance);
        showing[thread] = 0;
    }
}

int successive_count_threads(const struct successive_order *o, struct successive *of)
{
    double *showing = calloc((size_t)o->profile->thread_count + 1, sizeof *showing);
    for (uint32_t i = 0, end; showing && o->by == SUCCESSIVE_BY_WINDOW && i < o->count; i = end) {
        end = end_of_run(o, i);
        count_window_of_threads(o, i, end, showing, of);
    }
    free(showing);
    return showing ? 0 : -ENOMEM;
}

struct successive successive_of_run(uint32_t samples)
{
    return (struct successive){.ends = samples > 1 ? 2 : 0, .singles = samples == 1};
}

/* No run has samples of two threads, so nothing is counted twice. */
void successive_add(struct successive *to, const struct successive *of)
{
    to->next += of->next;
    to->next_but_one += of->next_but_one;
    to->ends += of->ends;
    to->singles += of->singles;
    window_sums_add(&to->windows, &of->windows);
}

/* Returns the effect for a process that is correlated by rho from sample to sample, with an exponential decline between samples, sampled
 * at even distances. It is the sum of its correlations at the samples minus their integral, which even sampling measures exactly. */
static double effect_of_slow(double rho)
{
    return rho < 0.9999 ? (1 + rho) / (1 - rho) + 2 / log(rho) : (1 - rho) / 6;
}

/* Returns the effect inside of runs. The part of the variance that is still correlated at the lag is slow. The correlation at twice the
 * lag shows how slow it is. */
static double effect_within(struct successive s, double variance, const struct successive_whole *whole)
{
    if (!whole->triples)
        return 1;
    double slow = 1 - fmax(s.next, 1) / (2.0 * whole->pairs * variance);
    double still = 1 - fmax(s.next_but_one, 2) / (2.0 * whole->triples * variance);
    if (slow <= 0 || still <= 0)
        return 1;
    return 1 - slow + slow * effect_of_slow(pow(fmin(still / slow, 1), 1.0 / LAG));
}

/* Returns the sum of (x - share)^2 over `all` samples, of which `shown` have x = 1. */
static double sum_of_squares(uint32_t shown, uint32_t all, double share)
{
    return shown * (1 - share) * (1 - share) + (all - shown) * share * share;
}

double successive_effect(struct successive s, uint32_t k, const struct successive_whole *whole)
{
    uint32_t n = whole->samples;
    if (whole->by_window)
        return window_effect(&s.windows, &whole->windows);
    if (whole->unknown || !k || k >= n || n < 3)
        return 1;
    double share = (double)k / n, variance = share * (1 - share);
    double within = effect_within(s, variance, whole) * (n - whole->singles) / n;
    double ends = sum_of_squares(s.ends, whole->ends, share) / 8 + sum_of_squares(s.singles, whole->singles, share);
    return fmin(1, within + ends / (n * variance));
}
