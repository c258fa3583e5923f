#include "profile/figures/diff.h"

#include "base/array.h"
#include "base/time_units.h"
#include "profile/figures/compare.h"
#include "profile/figures/diff_runs.h"
#include "profile/figures/significance.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The degrees of freedom of the variance between blocks: the blocks of two runs have 30, their overlapping pairs about 20. */
static const double block_degrees = 20;
/* A dispersion is assumed to grow in proportion to a share, up to this factor. */
static const double most_growth = 4;
int diff_init(struct diff *d)
{
    *d = (struct diff){.level = 0.01};
    return strtab_init(&d->names) ? -ENOMEM : 0;
}

void diff_deinit(struct diff *d)
{
    for (uint32_t i = 0; i < d->run_count; i++)
        free(d->run_list[i].cells);
    free(d->run_list);
    free(d->rows);
    map_deinit(&d->row_of);
    strtab_deinit(&d->names);
    *d = (struct diff){0};
}

const char *diff_name(const struct diff *d, const struct diff_row *row)
{
    return strtab_text(&d->names, row->name);
}

const char *diff_change_name(enum diff_change change)
{
    static const char *const names[] = {"same", "new", "gone", "grew", "shrank"};
    return names[change];
}

/* ---- recordings ---- */

static int row_of(struct diff *d, const char *name, size_t len, uint32_t *row)
{
    bool added;
    uint32_t id = strtab_add(&d->names, name, len), *place;
    if ((len && !id) || ARRAY_GROW(d->rows, d->cap, d->count) || !(place = map_add(&d->row_of, id, &added)))
        return -ENOMEM;
    if (added) {
        d->rows[d->count] = (struct diff_row){.name = id};
        *place = d->count++;
    }
    *row = *place;
    return 0;
}

/* Finds the row of each label of the profile. rows[label] is the row plus 1. */
static int rows_of_labels(struct diff *d, const struct profile *p, const struct stats *s, uint32_t *rows)
{
    for (uint32_t i = 0; i < s->methods.count; i++) {
        uint32_t label = s->methods.rows[i].label, row;
        if (row_of(d, profile_text(p, label), strtab_len(&p->strings, label), &row))
            return -ENOMEM;
        rows[label] = row + 1;
    }
    return 0;
}

static struct diff_part part_of(const struct stats_figure *f, double effective)
{
    return (struct diff_part){.weight = (double)f->weight, .size = effective / (f->effect > 0 ? f->effect : 1)};
}

static void take_methods(struct diff *d, struct diff_run *run, const struct stats *s, const uint32_t *rows)
{
    for (uint32_t i = 0; i < s->methods.count; i++) {
        const struct stats_row *r = &s->methods.rows[i];
        uint32_t row = rows[r->label] - 1;
        run->cells[row].self = part_of(&r->self, s->effective);
        run->cells[row].total = part_of(&r->total, s->effective);
        if (run->side == DIFF_A)
            d->rows[row].samples_a += r->total.samples;
        else
            d->rows[row].samples_b += r->total.samples;
    }
}

static int take_run(struct diff *d, struct diff_run *run, const struct profile *p, const struct stats *s)
{
    uint32_t *rows = calloc(p->strings.count, sizeof *rows), *nodes = calloc(p->node_count, sizeof *nodes);
    int rc = rows && nodes ? rows_of_labels(d, p, s, rows) : -ENOMEM;
    run->count = d->count;
    run->cells = rc ? NULL : calloc((size_t)d->count + 1, sizeof *run->cells);
    if (!rc && !run->cells)
        rc = -ENOMEM;
    if (!rc) {
        take_methods(d, run, s, rows);
        for (uint32_t node = 1; node < p->node_count; node++) {
            const struct profile_frame *f = &p->frames[p->nodes[node].frame];
            nodes[node] = f->type == PROFILE_TYPE_MARK ? 0 : rows[f->label];
        }
        rc = run->weight > 0 ? diff_blocks(run, p, nodes, d->absolute) : 0;
    }
    free(rows);
    free(nodes);
    return rc;
}

static void add_run(struct diff *d, const struct diff_run *run, uint32_t samples)
{
    d->run_list[d->run_count++] = *run;
    d->runs[run->side]++;
    d->samples[run->side] += samples;
    d->weight[run->side] += run->weight;
    d->seconds[run->side] += run->seconds;
    d->effective[run->side] += run->effective;
}

int diff_add(struct diff *d, enum diff_side side, const struct profile *p)
{
    struct stats s;
    struct diff_run run = {.side = side, .weight = (double)p->weight, .seconds = (double)p->duration_ns / NS_PER_S};
    if (ARRAY_GROW(d->run_list, d->run_cap, d->run_count) || stats_compute(&s, p))
        return -ENOMEM;
    run.effective = s.effective;
    int rc = take_run(d, &run, p, &s);
    add_run(d, &run, s.samples);
    stats_deinit(&s);
    return rc;
}

/* ---- one figure ---- */

enum which { SELF, TOTAL };

static struct diff_part part_at(const struct diff_run *run, uint32_t row, enum which which)
{
    static const struct diff_cell none;
    const struct diff_cell *cell = row < run->count ? &run->cells[row] : &none;
    struct diff_part part = which == SELF ? cell->self : cell->total;
    part.size = part.size > 0 ? part.size : run->effective;
    return part;
}

static double share_in(const struct diff_run *run, double weight)
{
    return run->weight > 0 ? weight / run->weight : 0;
}

static struct compare_side side_of(const struct diff *d, uint32_t row, enum which which, enum diff_side side)
{
    struct compare_side s = {.unit = d->absolute && d->seconds[side] > 0 ? d->weight[side] / NS_PER_S / d->seconds[side] : 1};
    double weight = 0, inverse = 0;
    for (uint32_t i = 0; i < d->run_count; i++) {
        const struct diff_run *run = &d->run_list[i];
        struct diff_part part = part_at(run, row, which);
        double of = d->weight[side] > 0 ? run->weight / d->weight[side] : 0;
        if (run->side != side || !(of > 0))
            continue;
        weight += part.weight;
        inverse += of * of / part.size;
        s.slow += of * of * part.slow;
    }
    s.share = d->weight[side] > 0 ? weight / d->weight[side] : 0;
    s.size = inverse > 0 ? 1 / inverse : 0;
    return s;
}

/* Returns the dispersion: how much more the runs differ than by sampling alone, as chi square divided by its degrees of freedom. */
static double dispersion_of_runs(const struct diff *d, uint32_t row, enum which which, const struct compare_side *sides)
{
    double p = compare_pooled(&sides[DIFF_A], &sides[DIFF_B]), chi = 0, degrees = (double)d->run_count - 2;
    if (!(p > 0 && p < 1))
        return 0;
    for (uint32_t i = 0; i < d->run_count; i++) {
        const struct diff_run *run = &d->run_list[i];
        struct diff_part part = part_at(run, row, which);
        const struct compare_side *side = &sides[run->side];
        /* With `absolute`, times per second are compared, in units of the side's time per second. */
        double rate = d->absolute && run->seconds > 0 ? part.weight / NS_PER_S / run->seconds / side->unit : share_in(run, part.weight);
        chi += (rate - side->share) * (rate - side->share) * part.size / (p * (1 - p));
    }
    return chi / degrees;
}

static double dispersion_of_blocks(const struct compare_side *sides)
{
    double sampling = compare_sampling_variance(&sides[DIFF_A], &sides[DIFF_B]);
    double slow =
        sides[DIFF_A].slow * sides[DIFF_A].unit * sides[DIFF_A].unit + sides[DIFF_B].slow * sides[DIFF_B].unit * sides[DIFF_B].unit;
    return sampling > 0 ? slow / sampling : 0;
}

static bool by_runs(const struct diff *d)
{
    return d->runs[DIFF_A] > 1 && d->runs[DIFF_B] > 1;
}

static double own_dispersion(const struct diff *d, uint32_t row, enum which which, const struct compare_side *sides)
{
    return by_runs(d) ? dispersion_of_runs(d, row, which, sides) : dispersion_of_blocks(sides);
}

/* Returns the dispersion that the test uses. It is never below that of sampling. */
static double dispersion(const struct diff *d, double own)
{
    return by_runs(d) ? compare_dispersion(own, (double)d->run_count - 2, d->dispersion) : fmax(1, own);
}

/* Returns a high estimate of a method's dispersion in the next comparison, after its share has grown. For blocks it is the upper end of
 * this estimate, which four in five do not exceed. The differences between runs grow in proportion to the share. Because there are few
 * runs, their next estimate has a larger error. Therefore the upper end is the one that nineteen in twenty do not exceed, and the
 * estimate is the one that the other methods moderate. */
static double next_dispersion(const struct diff *d, double own, double share, double grown)
{
    if (!by_runs(d))
        return own > 1 ? own * (1 + significance_normal(0.2) * sqrt(2 / d->degrees)) : 1;
    double degrees = (double)d->run_count - 2, growth = share > 0 ? fmin(grown / share, most_growth) : 1;
    double expected = fmax(d->dispersion, compare_moderated(own, degrees, d->dispersion));
    return (1 + (expected - 1) * growth) * (1 + significance_normal(0.05) * sqrt(2 / degrees));
}

/* Returns the least growth that a single test at level/tests detects with a probability of 0.8. A larger share has a larger variance. */
static double detectable(const struct diff *d, const struct compare_side *a, const struct compare_side *b, double own)
{
    double least = d->level / (2.0 * (d->tests ? d->tests : 1));
    double reach = significance_student(fmin(least, 0.5), by_runs(d) || own > 1 ? d->degrees : 0) + significance_normal(0.2);
    double growth = 0;
    if (!(a->size > 0 && b->size > 0))
        return INFINITY;
    for (int i = 0; i < 20; i++) {
        double p = fmin(a->share + growth / 2, 0.5 + a->share / 2), grown = next_dispersion(d, own, a->share, p);
        growth = reach * sqrt(grown * p * (1 - p) * (1 / a->size + 1 / b->size)) + reach * reach * grown / (a->size + b->size) / 2;
    }
    return (d->absolute ? growth : fmin(growth, 1 - a->share)) * fmax(a->unit, b->unit);
}

static void fill(const struct diff *d, uint32_t row, enum which which, struct diff_figure *f)
{
    struct compare_side sides[2] = {side_of(d, row, which, DIFF_A), side_of(d, row, which, DIFF_B)};
    double spread = dispersion(d, own_dispersion(d, row, which, sides));
    *f = (struct diff_figure){.a = sides[DIFF_A].share * sides[DIFF_A].unit, .b = sides[DIFF_B].share * sides[DIFF_B].unit, .p = 1, .q = 1};
    f->interval = compare_interval(&sides[DIFF_A], &sides[DIFF_B], spread, compare_z95);
    f->tested = compare_is_enough(&sides[DIFF_A], &sides[DIFF_B], spread);
    if (f->tested)
        f->p = compare_test(&sides[DIFF_A], &sides[DIFF_B], spread, spread > 1 ? d->degrees : 0, !d->absolute);
}

static void fill_detectable(const struct diff *d, uint32_t row, enum which which, struct diff_figure *f)
{
    struct compare_side sides[2] = {side_of(d, row, which, DIFF_A), side_of(d, row, which, DIFF_B)};
    f->detectable = detectable(d, &sides[DIFF_A], &sides[DIFF_B], own_dispersion(d, row, which, sides));
}

/* ---- all figures ---- */

/* Computes the median dispersion of all figures with enough samples. It is at least 1. */
static int find_dispersion(struct diff *d)
{
    double *all = calloc(2 * (size_t)d->count + 1, sizeof *all);
    uint32_t n = 0;
    if (!all)
        return -ENOMEM;
    for (uint32_t row = 0; row < d->count; row++)
        for (enum which which = SELF; which <= TOTAL; which++) {
            struct compare_side sides[2] = {side_of(d, row, which, DIFF_A), side_of(d, row, which, DIFF_B)};
            if (compare_pooled(&sides[DIFF_A], &sides[DIFF_B]) < 1 && compare_is_enough(&sides[DIFF_A], &sides[DIFF_B], 1))
                all[n++] = own_dispersion(d, row, which, sides);
        }
    d->dispersion = compare_median(all, n);
    free(all);
    return 0;
}

static enum diff_change change_of(const struct diff_row *row, const struct diff_figure *f, double level)
{
    if (!f->tested || f->q > level)
        return DIFF_SAME;
    if (!row->samples_a || !row->samples_b)
        return row->samples_a ? DIFF_GONE : DIFF_NEW;
    return f->b > f->a ? DIFF_GREW : DIFF_SHRANK;
}

static int adjust(struct diff *d)
{
    double *p = calloc(2 * (size_t)d->count + 1, sizeof *p);
    uint32_t *room = calloc(2 * (size_t)d->count + 1, sizeof *room), at = 0;
    if (!p || !room) {
        free(p);
        free(room);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < 2 * d->count; i++) {
        const struct diff_figure *f = i % 2 ? &d->rows[i / 2].total : &d->rows[i / 2].self;
        if (f->tested)
            p[d->tests++] = f->p;
    }
    significance_adjust(p, d->tests, room);
    for (uint32_t i = 0; i < 2 * d->count; i++) {
        struct diff_row *row = &d->rows[i / 2];
        struct diff_figure *f = i % 2 ? &row->total : &row->self;
        f->q = f->tested ? p[at++] : 1;
        f->change = change_of(row, f, d->level);
    }
    free(p);
    free(room);
    return 0;
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct diff_row *a = left, *b = right;
    double self_a = fabs(a->self.b - a->self.a), self_b = fabs(b->self.b - b->self.a);
    double total_a = fabs(a->total.b - a->total.a), total_b = fabs(b->total.b - b->total.a);
    int by = (self_a < self_b) - (self_a > self_b);
    by = by ? by : (total_a < total_b) - (total_a > total_b);
    return by ? by : strcmp(diff_name(context, a), diff_name(context, b));
}

int diff_compute(struct diff *d)
{
    d->degrees = by_runs(d) ? compare_degrees((double)d->run_count - 2) : block_degrees;
    int rc = find_dispersion(d);
    for (uint32_t row = 0; !rc && row < d->count; row++) {
        fill(d, row, SELF, &d->rows[row].self);
        fill(d, row, TOTAL, &d->rows[row].total);
    }
    rc = rc ? rc : adjust(d);
    for (uint32_t row = 0; !rc && row < d->count; row++) {
        fill_detectable(d, row, SELF, &d->rows[row].self);
        fill_detectable(d, row, TOTAL, &d->rows[row].total);
    }
    if (!rc && d->count)
        qsort_r(d->rows, d->count, sizeof *d->rows, compare_rows, d);
    return rc;
}

double diff_detectable(const struct diff *d, double share)
{
    const struct compare_side a = {.share = share, .size = d->effective[DIFF_A], .unit = 1};
    const struct compare_side b = {.share = share, .size = d->effective[DIFF_B], .unit = 1};
    return detectable(d, &a, &b, d->dispersion);
}
