#include "profile/figures/changes.h"

#include "base/array.h"
#include "profile/figures/significance.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The degrees of freedom of the variance between blocks: the blocks of two sides have 30, their overlapping pairs about 20. */
static const double block_degrees = 20;
/* The fewest blocks of time on a side with one host. */
enum { BLOCKS_LEAST = 8 };
/* No more methods are set aside, and no less than this part of a side's weight stays to compare with. */
enum { ASIDES_MAX = 50 };
static const double rest_least = 0.5;
/* If one host is nearly all of a side, its deviation is nearly nothing, whatever it differs by. */
static const double least_part = 1e-6;
/* 512 MB of cells. */
enum { CELLS_MAX = 1 << 25 };

/* ---- adding samples ---- */

int changes_init(struct changes *c)
{
    *c = (struct changes){.level = 0.01, .cells_most = CELLS_MAX};
    return strtab_init(&c->names) ? -ENOMEM : 0;
}

void changes_deinit(struct changes *c)
{
    for (uint32_t i = 0; i < c->figure_count; i++)
        free(c->figures[i].cells);
    free(c->figures);
    free(c->units);
    free(c->hosts);
    free(c->edges);
    free(c->of_hosts);
    free(c->order);
    free(c->order_begin);
    map_deinit(&c->figure_of);
    map_deinit(&c->unit_of);
    map_deinit(&c->host_of);
    map_deinit(&c->edge_of);
    strtab_deinit(&c->names);
    *c = (struct changes){0};
}

const char *changes_name(const struct changes *c, uint32_t figure)
{
    return strtab_text(&c->names, c->figures[figure].name);
}

const char *changes_verdict_name(enum changes_verdict v)
{
    static const char *const names[] = {"not sure", "new", "gone", "dearer", "cheaper", "moved"};
    return names[v];
}

const char *changes_design_name(enum changes_design d)
{
    static const char *const names[] = {"none", "paired", "apart", "alone"};
    return names[d];
}

static int intern(struct changes *c, const char *text, size_t len, uint32_t *id)
{
    *id = strtab_add(&c->names, text, len);
    return len && !*id ? -ENOMEM : 0;
}

static int host_of(struct changes *c, const char *name, uint32_t *host)
{
    bool added;
    uint32_t id, *place;
    if (intern(c, name, strlen(name), &id) || ARRAY_GROW(c->hosts, c->host_cap, c->host_count) ||
        !(place = map_add(&c->host_of, id, &added)))
        return -ENOMEM;
    if (added) {
        c->hosts[c->host_count] = (struct changes_host){.name = id};
        *place = c->host_count++;
    }
    *host = *place;
    return 0;
}

int changes_unit(struct changes *c, enum changes_side side, const char *host, const char *group, uint32_t block, uint32_t *unit)
{
    bool added;
    struct changes_unit u = {.side = side, .block = block};
    if (host_of(c, host, &u.host) || intern(c, group, strlen(group), &u.group) || ARRAY_GROW(c->units, c->unit_cap, c->unit_count))
        return -ENOMEM;
    uint64_t key = (uint64_t)u.host << 40 | (uint64_t)u.group << 8 | block << 1 | side;
    uint32_t *place = map_add(&c->unit_of, key, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        c->units[c->unit_count] = u;
        *place = c->unit_count++;
    }
    *unit = *place;
    return 0;
}

void changes_weigh(struct changes *c, uint32_t unit, double weight, double squares)
{
    c->units[unit].weight += weight;
    c->units[unit].squares += squares;
}

int changes_figure(struct changes *c, const char *name, size_t len, int32_t line, uint32_t *figure)
{
    bool added;
    uint32_t id;
    if (intern(c, name, len, &id) || ARRAY_GROW(c->figures, c->figure_cap, c->figure_count))
        return -ENOMEM;
    uint32_t *place = map_add(&c->figure_of, (uint64_t)id << 32 | (uint32_t)line, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        c->figures[c->figure_count] = (struct changes_figure){.name = id, .line = line, .method = CHANGES_NO_FIGURE};
        *place = c->figure_count++;
    }
    *figure = *place;
    return 0;
}

int changes_add(struct changes *c, uint32_t figure, uint32_t unit, double self, double total, double samples)
{
    struct changes_figure *f = &c->figures[figure];
    if (unit >= f->cells_cap) {
        uint32_t cap = c->unit_count > 2 * f->cells_cap ? c->unit_count : 2 * f->cells_cap;
        if (c->cell_count + (cap - f->cells_cap) > c->cells_most)
            return -E2BIG;
        double *grown = realloc(f->cells, 2 * (size_t)cap * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        memset(grown + 2 * (size_t)f->cells_cap, 0, 2 * (size_t)(cap - f->cells_cap) * sizeof *grown);
        c->cell_count += cap - f->cells_cap;
        f->cells = grown;
        f->cells_cap = cap;
    }
    f->cells[2 * unit + CHANGES_SELF] += self;
    f->cells[2 * unit + CHANGES_TOTAL] += total;
    f->samples[c->units[unit].side] += samples;
    return 0;
}

int changes_edge(struct changes *c, uint32_t callee, uint32_t caller, uint32_t *edge)
{
    bool added;
    uint32_t *place =
        ARRAY_GROW(c->edges, c->edge_cap, c->edge_count) ? NULL : map_add(&c->edge_of, (uint64_t)callee << 32 | caller, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        c->edges[c->edge_count] = (struct changes_edge){.callee = callee, .caller = caller};
        *place = c->edge_count++;
    }
    *edge = *place;
    return 0;
}

/* ---- the design ---- */

static void sum_hosts(struct changes *c)
{
    for (uint32_t i = 0; i < c->unit_count; i++) {
        const struct changes_unit *u = &c->units[i];
        struct changes_host *h = &c->hosts[u->host];
        if (!(u->weight > 0))
            continue;
        h->blocks[u->side] |= 1u << u->block;
        h->weight[u->side] += u->weight;
        h->squares[u->side] += u->squares;
    }
}

static bool is_on(const struct changes_host *h, enum changes_side side)
{
    return h->weight[side] > 0;
}

/* Whether hosts are compared with themselves: if more than half of the hosts of either side are on both. on: by side. */
static bool is_paired(const uint32_t on[2], uint32_t both)
{
    return 2 * both > on[CHANGES_BEFORE] && 2 * both > on[CHANGES_AFTER];
}

bool changes_wants_blocks(const struct changes *c)
{
    uint8_t *seen = calloc((size_t)c->host_count + 1, 1); /* bits, by side */
    uint32_t on[2] = {0}, both = 0;
    bool has[2] = {!seen, !seen}; /* blocks, by side */
    for (uint32_t i = 0; seen && i < c->unit_count; i++) {
        if (c->units[i].weight > 0)
            seen[c->units[i].host] |= (uint8_t)(1 << c->units[i].side);
        has[c->units[i].side] |= c->units[i].block > 0;
    }
    for (uint32_t i = 0; seen && i < c->host_count; i++) {
        on[CHANGES_BEFORE] += seen[i] & 1;
        on[CHANGES_AFTER] += seen[i] >> 1;
        both += seen[i] == 3;
    }
    free(seen);
    /* The blocks of both sides count. Hosts that are not compared may have made one side seem large. */
    if (is_paired(on, both))
        return both < CHANGES_FEW_HOSTS && !(has[CHANGES_BEFORE] && has[CHANGES_AFTER]);
    return !has[CHANGES_BEFORE] && !has[CHANGES_AFTER] && (on[CHANGES_BEFORE] < CHANGES_FEW_HOSTS || on[CHANGES_AFTER] < CHANGES_FEW_HOSTS);
}

/* Chooses the hosts to compare. If more than half of the hosts of either side are on both, only these are compared. */
static void choose_hosts(struct changes *c)
{
    uint32_t on[2] = {0}, both = 0;
    for (uint32_t i = 0; i < c->host_count; i++) {
        const struct changes_host *h = &c->hosts[i];
        on[CHANGES_BEFORE] += is_on(h, CHANGES_BEFORE);
        on[CHANGES_AFTER] += is_on(h, CHANGES_AFTER);
        both += is_on(h, CHANGES_BEFORE) && is_on(h, CHANGES_AFTER);
    }
    bool paired = is_paired(on, both);
    for (uint32_t i = 0; i < c->host_count; i++) {
        struct changes_host *h = &c->hosts[i];
        h->compared = paired ? is_on(h, CHANGES_BEFORE) && is_on(h, CHANGES_AFTER) : is_on(h, CHANGES_BEFORE) || is_on(h, CHANGES_AFTER);
        for (int side = 0; h->compared && side < 2; side++) {
            c->compared[side] += is_on(h, side);
            c->weight[side] += h->weight[side];
        }
    }
    c->design = !paired ? CHANGES_APART : both > 1 ? CHANGES_PAIRED : CHANGES_ALONE;
}

/* Large hosts have most of the variance, so that less of it is known than the number of hosts says. A host's part of it is the square of
 * its weight, if effects are what it differs by. */
static void count_even(struct changes *c)
{
    for (int side = 0; side < 2; side++) {
        double second = 0, third = 0, fourth = 0, drawn = 0;
        for (uint32_t i = 0; i < c->host_count; i++) {
            const struct changes_host *h = &c->hosts[i];
            double w = h->compared ? h->factor[side] * h->weight[side] / c->even_weight[side] : 0;
            second += w * w;
            third += w * w * w;
            fourth += w * w * w * w;
            drawn += h->compared ? h->factor[side] * h->factor[side] * h->squares[side] * (1 - 2 * w) : 0;
        }
        c->part_squares[side] = second;
        c->even_hosts[side] = fourth > 0 ? second * second / fourth : 0;
        c->of_effects[side] = second > 0 ? fmax(least_part, 1 - 2 * third / second + second) : 1;
        c->of_draws[side] = drawn / c->even_squares[side] + second;
    }
}

/* Gives each host the same part of both sides, so that what is peculiar to a host cancels out although its load has changed. The part is
 * the harmonic mean of its parts of both sides: a host with few samples on one side counts little, and no factor exceeds 2. */
static void even_out(struct changes *c)
{
    for (uint32_t i = 0; i < c->host_count; i++) {
        struct changes_host *h = &c->hosts[i];
        double part[2] = {h->weight[0] / c->weight[0], h->weight[1] / c->weight[1]};
        for (int side = 0; side < 2; side++) {
            h->factor[side] = h->compared && c->design == CHANGES_PAIRED ? 2 * part[!side] / (part[0] + part[1]) : 1;
            c->even_weight[side] += h->compared ? h->factor[side] * h->weight[side] : 0;
            c->even_squares[side] += h->compared ? h->factor[side] * h->factor[side] * h->squares[side] : 0;
        }
    }
    count_even(c);
}

static void choose_design(struct changes *c)
{
    sum_hosts(c);
    choose_hosts(c);
    even_out(c);
    if (!c->compared[CHANGES_BEFORE] || !c->compared[CHANGES_AFTER])
        c->reason = c->compared[CHANGES_AFTER] ? "there are no samples before" : "there are no samples after";
    else if (c->design == CHANGES_APART && c->compared[CHANGES_BEFORE] + c->compared[CHANGES_AFTER] < 3)
        c->reason = "each side has one host, and they are not the same: the hosts may differ as much as the sides";
    for (uint32_t i = 0; c->design == CHANGES_ALONE && i < c->host_count; i++)
        for (int side = 0; side < 2; side++)
            if (c->hosts[i].compared && __builtin_popcount(c->hosts[i].blocks[side]) < BLOCKS_LEAST)
                c->reason = "there is one host, with samples in fewer than 8 of 16 blocks of time: choose longer times";
    if (c->reason)
        c->design = CHANGES_NONE;
}

/* ---- preparation ---- */

int changes_is_over(const struct changes *c, uint32_t place)
{
    return c->is_over && place % 64 == 0 ? c->is_over(c->context) : 0;
}

/* Sorts the units by host and side, so that the variance of a host looks at its own units only. */
static int order_units(struct changes *c)
{
    size_t sides = 2 * (size_t)c->host_count;
    c->of_hosts = calloc(sides + 1, sizeof *c->of_hosts);
    c->order = calloc((size_t)c->unit_count + 1, sizeof *c->order);
    c->order_begin = calloc(sides + 2, sizeof *c->order_begin);
    if (!c->of_hosts || !c->order || !c->order_begin)
        return -ENOMEM;
    /* First the counts, two places further on; then where to put the next one, one place further on, which ends as the beginning. */
    for (uint32_t i = 0; i < c->unit_count; i++)
        c->order_begin[2 * (size_t)c->units[i].host + c->units[i].side + 2]++;
    for (size_t at = 2; at < sides + 2; at++)
        c->order_begin[at] += c->order_begin[at - 1];
    for (uint32_t i = 0; i < c->unit_count; i++)
        c->order[c->order_begin[2 * (size_t)c->units[i].host + c->units[i].side + 1]++] = i;
    return 0;
}

/* ---- one figure ---- */

static double cell(const struct changes *c, uint32_t figure, uint32_t unit, enum changes_which which)
{
    const struct changes_figure *f = figure == CHANGES_NO_FIGURE ? NULL : &c->figures[figure];
    return f && unit < f->cells_cap ? f->cells[2 * unit + which] : 0;
}

/* A figure on both sides. Values are shares times `unit`; so are the deviations. */
struct estimate {
    struct compare_side sides[2];
    double weight[2];    /* as it was sampled, without the hosts' factors */
    double ratio[2];     /* weight over the rest */
    double scale[2];     /* turns weight into the unit of values */
    double own, degrees; /* the dispersion between hosts */
    double blocks;       /* that between blocks of time */
};

static double deviation(const struct changes *c, const struct estimate *e, uint32_t host, enum changes_side side)
{
    return (c->of_hosts[2 * host + side] - e->ratio[side] * c->hosts[host].rest[side]) * e->scale[side];
}

static bool is_few(const struct changes *c)
{
    return c->compared[CHANGES_BEFORE] < CHANGES_FEW_HOSTS || c->compared[CHANGES_AFTER] < CHANGES_FEW_HOSTS;
}

/* Returns the variance of a side by draws alone. */
static double by_draws(const struct estimate *e, enum changes_side side)
{
    const struct compare_side *s = &e->sides[side];
    double p = compare_pooled(&e->sides[0], &e->sides[1]);
    return p * (1 - p) * s->unit * s->unit / s->size;
}

/* Each host's change deviates from the change of all. */
static double paired_variance(const struct changes *c, struct estimate *e)
{
    double sum = 0, draws = 0;
    for (uint32_t i = 0; i < c->host_count; i++) {
        double d = c->hosts[i].compared ? deviation(c, e, i, CHANGES_AFTER) - deviation(c, e, i, CHANGES_BEFORE) : 0;
        sum += d * d;
    }
    for (int side = 0; side < 2; side++) {
        draws += by_draws(e, side);
        sum -= c->of_draws[side] * by_draws(e, side);
    }
    e->degrees = fmax(1, c->even_hosts[CHANGES_AFTER] - 1);
    return fmax(0, draws + sum / c->of_effects[CHANGES_AFTER]);
}

/* The hosts of each side deviate from their side. The degrees of freedom are Welch and Satterthwaite's. */
static double apart_variance(const struct changes *c, struct estimate *e)
{
    double sum[2] = {0}, bound = 0;
    for (uint32_t i = 0; i < c->host_count; i++)
        for (int side = 0; side < 2; side++) {
            double d = c->hosts[i].compared && is_on(&c->hosts[i], side) ? deviation(c, e, i, side) : 0;
            sum[side] += d * d;
        }
    for (int side = 0; side < 2; side++) {
        double draws = by_draws(e, side);
        sum[side] = fmax(0, draws + (sum[side] - c->of_draws[side] * draws) / c->of_effects[side]);
        bound += sum[side] * sum[side] / fmax(1, c->even_hosts[side] - 1);
    }
    double variance = sum[0] + sum[1];
    e->degrees = bound > 0 ? variance * variance / bound : c->compared[0] + c->compared[1] - 2;
    return variance;
}

/* Few hosts on a side: the hosts of both sides estimate one dispersion together, relative to what sampling explains in each. What is more
 * than that are effects of hosts. `seen` is what chi square shows of their variance, and `whole` what they add to that of the sides. */
static double pooled_dispersion(const struct changes *c, struct estimate *e)
{
    double p = compare_pooled(&e->sides[0], &e->sides[1]), chi = 0, seen = 0, whole = 0, draws = 0;
    e->degrees = (double)c->compared[0] + c->compared[1] - 2;
    for (int side = 0; side < 2; side++) {
        whole += e->sides[side].unit * e->sides[side].unit * c->part_squares[side];
        draws += e->sides[side].unit * e->sides[side].unit / e->sides[side].size;
    }
    for (uint32_t i = 0; i < c->host_count; i++)
        for (int side = 0; side < 2; side++) {
            const struct changes_host *h = &c->hosts[i];
            if (!h->compared || !is_on(h, side) || !(h->rest[side] > 0))
                continue;
            double d = deviation(c, e, i, side) * c->even_rest[side] / h->rest[side] / e->sides[side].unit;
            double size = h->weight[side] * h->weight[side] / h->squares[side];
            chi += d * d * size / (p * (1 - p));
            seen += size * fmax(least_part, 1 - 2 * h->weight[side] / c->weight[side] + c->part_squares[side]);
        }
    return seen > 0 ? fmax(0, 1 + (chi - e->degrees) * whole / (seen * draws)) : 0;
}

/* Returns the variance of a host's value between its blocks of time. share: the host's weight over its rest; y, rest: by block. */
static double variance_of_blocks(const double *y, const double *rest, double share)
{
    double squares = 0, neighbors = 0, second_neighbors = 0, last[2] = {0};
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < CHANGES_BLOCKS; i++) {
        double d = y[i] - share * rest[i];
        if (!(rest[i] > 0))
            continue;
        squares += d * d;
        neighbors += d * last[0];
        second_neighbors += d * last[1];
        last[1] = last[0];
        last[0] = d;
        blocks++;
    }
    return blocks > 1 ? compare_blocks(squares, neighbors, second_neighbors) * blocks / (blocks - 1) : 0;
}

static double blocks_variance(const struct changes *c, const struct estimate *e, uint32_t figure, uint32_t other, enum changes_which which)
{
    double variance = 0;
    for (uint32_t at = 0; at < 2 * c->host_count; at++) {
        const struct changes_host *h = &c->hosts[at / 2];
        double y[CHANGES_BLOCKS] = {0}, rest[CHANGES_BLOCKS] = {0};
        if (!h->compared || !(h->rest[at % 2] > 0))
            continue;
        for (uint32_t i = c->order_begin[at]; i < c->order_begin[at + 1]; i++) {
            uint32_t unit = c->order[i];
            const struct changes_unit *u = &c->units[unit];
            y[u->block] += cell(c, figure, unit, which) + cell(c, other, unit, which);
            rest[u->block] += u->rest;
        }
        double scale = e->scale[at % 2] * h->factor[at % 2];
        variance += variance_of_blocks(y, rest, c->of_hosts[at] / h->rest[at % 2]) * scale * scale;
    }
    return variance;
}

static void estimate(const struct changes *c, uint32_t figure, uint32_t other, enum changes_which which, struct estimate *e)
{
    double weight[2] = {0};
    *e = (struct estimate){0};
    memset(c->of_hosts, 0, 2 * (size_t)c->host_count * sizeof *c->of_hosts);
    for (uint32_t i = 0; i < c->unit_count; i++) {
        const struct changes_unit *u = &c->units[i];
        double y = c->hosts[u->host].compared ? cell(c, figure, i, which) + cell(c, other, i, which) : 0;
        c->of_hosts[2 * u->host + u->side] += y * c->hosts[u->host].factor[u->side];
        weight[u->side] += y * c->hosts[u->host].factor[u->side];
        e->weight[u->side] += y;
    }
    double after = c->even_rest[CHANGES_AFTER] / c->even_weight[CHANGES_AFTER];
    for (int side = 0; side < 2; side++) {
        double all = c->even_weight[side];
        e->ratio[side] = weight[side] / c->even_rest[side];
        e->scale[side] = after / c->even_rest[side];
        e->sides[side] =
            (struct compare_side){.share = weight[side] / all, .size = all * all / c->even_squares[side], .unit = all * e->scale[side]};
    }
    double sampling = compare_sampling_variance(&e->sides[0], &e->sides[1]);
    if (!(sampling > 0))
        return;
    if (c->design == CHANGES_PAIRED)
        e->own = paired_variance(c, e) / sampling;
    else if (c->design == CHANGES_APART)
        e->own = is_few(c) ? pooled_dispersion(c, e) : apart_variance(c, e) / sampling;
    if (is_few(c))
        e->blocks = blocks_variance(c, e, figure, other, which) / sampling;
}

static double dispersion_of(const struct changes *c, const struct estimate *e)
{
    double hosts = c->design == CHANGES_ALONE ? 1 : compare_dispersion(e->own, e->degrees, c->median);
    return fmax(hosts, e->blocks);
}

/* The degrees count also where the dispersion is 1 because hosts happen to differ by less than draws do: what they really differ by may be
 * more. The median of all is worth four hosts to a figure that differs between hosts as others do. The more a figure's own dispersion is
 * above that, the less the median says about it. The degrees are those of Satterthwaite for a sum that has the median as one part. */
static double degrees_of(const struct changes *c, const struct estimate *e)
{
    double f = e->degrees, all = compare_degrees(f), prior = all - f, ratio = c->median > 0 ? e->own / c->median : 1;
    if (c->design == CHANGES_ALONE)
        return block_degrees;
    if (!(ratio > 1))
        return all;
    return (prior + f * ratio) * (prior + f * ratio) / (prior + f * ratio * ratio);
}

/* Returns the least growth that a single test at level/tests finds with a probability of 0.8, at this dispersion. */
static double detectable(const struct changes *c, const struct estimate *e, double dispersion, double degrees)
{
    const struct compare_side *a = &e->sides[0], *b = &e->sides[1];
    double least = fmin(c->level / (2.0 * (c->tests ? c->tests : 1)), 0.5), growth = 0;
    double reach = significance_student(least, degrees) + significance_normal(0.2);
    for (int i = 0; i < 20; i++) {
        double p = fmin(a->share + growth / 2, 0.5 + a->share / 2);
        double variance = dispersion * p * (1 - p) * (a->unit * a->unit / a->size + b->unit * b->unit / b->size);
        growth = reach * sqrt(variance) + reach * reach * dispersion / (a->size + b->size) / 2;
    }
    return fmin(growth, fmax(0, 1 - a->share * a->unit)); /* no share is above 1 */
}

static void test(const struct changes *c, const struct estimate *e, struct changes_value *v)
{
    const struct compare_side *a = &e->sides[0], *b = &e->sides[1];
    double dispersion = dispersion_of(c, e), sampling = compare_sampling_variance(a, b);
    double change = b->share * b->unit - a->share * a->unit, after = e->weight[CHANGES_AFTER] / c->weight[CHANGES_AFTER];
    *v = (struct changes_value){.weight = {e->weight[0], e->weight[1]},
                                .share = {e->weight[CHANGES_BEFORE] / c->weight[CHANGES_BEFORE], after},
                                .expected = after - change,
                                .change = change,
                                .p = 1,
                                .q = 1,
                                .partner = CHANGES_NO_FIGURE};
    v->tested = sampling > 0 && compare_is_enough(a, b, dispersion);
    v->deviations = sampling > 0 ? v->change / sqrt(dispersion * sampling) : 0;
    if (v->tested)
        v->p = compare_test(a, b, dispersion, degrees_of(c, e), c->asides == 0);
}

void changes_test(const struct changes *c, uint32_t figure, uint32_t other, enum changes_which which, struct changes_value *v)
{
    struct estimate e;
    estimate(c, figure, other, which, &e);
    test(c, &e, v);
}

void changes_bounds(const struct changes *c, uint32_t figure, enum changes_which which, struct changes_bounds *out)
{
    struct estimate e;
    *out = (struct changes_bounds){{-1, 1}, INFINITY};
    if (c->design == CHANGES_NONE)
        return;
    estimate(c, figure, CHANGES_NO_FIGURE, which, &e);
    double dispersion = dispersion_of(c, &e), degrees = degrees_of(c, &e);
    double z = significance_student(0.025, degrees);
    out->interval = compare_interval(&e.sides[0], &e.sides[1], dispersion, z);
    out->detectable = detectable(c, &e, dispersion, degrees);
}

/* ---- all figures ---- */

/* Computes the median dispersion of all figures with enough samples; at least 1. The median of chi square over its degrees f is
 * (1 - 2/(9 f))^3 (Wilson and Hilferty), so each is divided by that. */
static int find_median(struct changes *c)
{
    double *all = calloc(2 * (size_t)c->figure_count + 1, sizeof *all);
    uint32_t n = 0;
    int rc = all ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && c->design != CHANGES_ALONE && i < 2 * c->figure_count; i++) {
        struct estimate e;
        rc = changes_is_over(c, i);
        if (rc || c->figures[i / 2].line)
            continue;
        estimate(c, i / 2, CHANGES_NO_FIGURE, i % 2, &e);
        if (e.degrees > 0 && compare_is_enough(&e.sides[0], &e.sides[1], 1))
            all[n++] = e.own / pow(1 - 2 / (9 * fmax(e.degrees, 1)), 3);
    }
    if (!rc)
        c->median = compare_median(all, n);
    free(all);
    return rc;
}

/* Estimates all figures, and computes the rates of false discoveries over all tests. */
static int test_all(struct changes *c, double *p, uint32_t *room)
{
    uint32_t n = 0, at = 0;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < 2 * c->figure_count; i++) {
        struct changes_figure *f = &c->figures[i / 2];
        struct changes_value *v = &f->value[i % 2];
        rc = changes_is_over(c, i);
        *v = (struct changes_value){.p = 1, .q = 1, .partner = CHANGES_NO_FIGURE};
        if (f->line && i % 2 == CHANGES_TOTAL)
            continue;
        changes_test(c, i / 2, CHANGES_NO_FIGURE, i % 2, v);
        if (v->tested)
            p[n++] = v->p;
    }
    if (rc)
        return rc;
    c->tests = n;
    significance_adjust(p, n, room);
    for (uint32_t i = 0; i < 2 * c->figure_count; i++) {
        struct changes_value *v = &c->figures[i / 2].value[i % 2];
        v->q = v->tested ? p[at++] : 1;
    }
    return 0;
}

static void sum_rest(struct changes *c)
{
    memset(c->rest, 0, sizeof c->rest);
    memset(c->even_rest, 0, sizeof c->even_rest);
    for (uint32_t i = 0; i < c->host_count; i++)
        memset(c->hosts[i].rest, 0, sizeof c->hosts[i].rest);
    for (uint32_t i = 0; i < c->unit_count; i++)
        c->units[i].rest = c->units[i].weight;
    for (uint32_t k = 0; k < c->figure_count; k++)
        for (uint32_t i = 0; c->figures[k].aside && i < c->unit_count; i++)
            c->units[i].rest -= cell(c, k, i, CHANGES_SELF);
    for (uint32_t i = 0; i < c->unit_count; i++) {
        const struct changes_unit *u = &c->units[i];
        if (!c->hosts[u->host].compared)
            continue;
        double even = u->rest * c->hosts[u->host].factor[u->side];
        c->hosts[u->host].rest[u->side] += even;
        c->even_rest[u->side] += even;
        c->rest[u->side] += u->rest;
    }
}

/* A method that grows makes the shares of all others smaller. So the surest change of a method's own time is set aside, and all others are
 * compared as shares of the rest, until no sure change is left in it. Returns the method, or CHANGES_NO_FIGURE. */
static uint32_t surest(const struct changes *c)
{
    uint32_t best = CHANGES_NO_FIGURE;
    double most = 0;
    for (uint32_t i = 0; i < c->figure_count; i++) {
        const struct changes_figure *f = &c->figures[i];
        const struct changes_value *v = &f->value[CHANGES_SELF];
        bool leaves = v->weight[0] < c->rest[0] - rest_least * c->weight[0] && v->weight[1] < c->rest[1] - rest_least * c->weight[1];
        if (f->line || f->aside || v->q > c->level || !leaves || fabs(v->deviations) <= most)
            continue;
        best = i;
        most = fabs(v->deviations);
    }
    return best;
}

static enum changes_verdict verdict_of(const struct changes *c, const struct changes_value *v)
{
    if (!v->tested || v->q > c->level)
        return CHANGES_UNSURE;
    if (!(v->weight[CHANGES_BEFORE] > 0) || !(v->weight[CHANGES_AFTER] > 0))
        return v->weight[CHANGES_AFTER] > 0 ? CHANGES_NEW : CHANGES_GONE;
    return v->change > 0 ? CHANGES_DEARER : CHANGES_CHEAPER;
}

static int test_steps(struct changes *c)
{
    double *p = calloc(2 * (size_t)c->figure_count + 1, sizeof *p);
    uint32_t *room = calloc(2 * (size_t)c->figure_count + 1, sizeof *room), next = 0;
    int rc = p && room ? 0 : -ENOMEM;
    while (!rc && next != CHANGES_NO_FIGURE) {
        sum_rest(c);
        rc = test_all(c, p, room);
        next = !rc && c->asides < ASIDES_MAX ? surest(c) : CHANGES_NO_FIGURE;
        if (next != CHANGES_NO_FIGURE) {
            c->figures[next].aside = true;
            c->asides++;
        }
    }
    free(p);
    free(room);
    return rc;
}

/* Without a design there are weights and shares, but no changes. */
static int sum_only(struct changes *c)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < 2 * c->figure_count; i++) {
        struct changes_value v = {.expected = NAN, .change = NAN, .p = 1, .q = 1, .partner = CHANGES_NO_FIGURE};
        rc = changes_is_over(c, i);
        for (uint32_t unit = 0; unit < c->unit_count; unit++)
            if (c->hosts[c->units[unit].host].compared)
                v.weight[c->units[unit].side] += cell(c, i / 2, unit, i % 2);
        for (int side = 0; side < 2; side++)
            v.share[side] = c->weight[side] > 0 ? v.weight[side] / c->weight[side] : 0;
        c->figures[i / 2].value[i % 2] = v;
    }
    return rc;
}

int changes_compute(struct changes *c)
{
    choose_design(c);
    int rc = order_units(c);
    if (rc || c->design == CHANGES_NONE)
        return rc ? rc : sum_only(c);
    sum_rest(c);
    rc = find_median(c);
    rc = rc ? rc : test_steps(c);
    for (uint32_t i = 0; !rc && i < 2 * c->figure_count; i++) {
        struct changes_value *v = &c->figures[i / 2].value[i % 2];
        v->verdict = verdict_of(c, v);
        c->sure += v->verdict != CHANGES_UNSURE;
    }
    return rc ? rc : changes_shift(c);
}
