#include "profile/figures/stats.h"

#include "base/array.h"

#include <math.h>
#include <string.h>

struct interval stats_wilson(double share, double n)
{
    return stats_wilson_at(share, n, 1.959963984540054); /* the normal distribution has 2.5 % beyond this on each side */
}

struct interval stats_wilson_at(double share, double n, double z)
{
    if (!(n > 0))
        return (struct interval){0, 1};
    share = fmin(1, fmax(0, share)); /* a sum of samples may exceed the whole that another clock measured */
    double shrink = 1 + z * z / n;
    double centre = (share + z * z / (2 * n)) / shrink;
    double half = z / shrink * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    /* Without rounding errors, the ends are exactly 0 and 1 for shares of 0 and 1. */
    double low = share <= 0 ? 0 : fmax(0, centre - half);
    double high = share >= 1 ? 1 : fmin(1, centre + half);
    return (struct interval){low, high};
}

double stats_effective_size(double sum, double sum_of_squares)
{
    return sum_of_squares > 0 ? sum * sum / sum_of_squares : 0;
}

uint8_t stats_type(const struct stats_row *row)
{
    uint8_t type = 0;
    for (uint8_t i = 1; i < PROFILE_TYPES; i++)
        if (row->by_type[i] > row->by_type[type])
            type = i;
    return type;
}

/* The sums over the samples of one stack. */
struct load {
    uint64_t weight;
    uint32_t samples;
};

/* The key of a table's rows: a label of the frame, and for lines its line. */
enum by { BY_METHOD, BY_LINE, BY_CLASS, BY_PACKAGE, BY_TYPE };

static uint32_t label_of(enum by by, const struct profile *p, const struct profile_frame *f)
{
    switch (by) {
    case BY_CLASS: /* for a failed sample the class is the reason */
        return f->type == JFR_FRAME_FAILED ? 0 : p->methods[f->method].class_name;
    case BY_PACKAGE:
        return f->type == JFR_FRAME_FAILED ? 0 : p->methods[f->method].package;
    case BY_TYPE:
        return f->type;
    default:
        return f->label;
    }
}

static uint64_t key_of(enum by by, const struct profile *p, const struct profile_frame *f)
{
    return (uint64_t)label_of(by, p, f) << 32 | (uint32_t)(by == BY_LINE ? f->line : 0);
}

/* A table under construction. `seen[row]` is the last stack that was counted into the row's total. Because a frame occurs many times,
 * its row is looked up only once. */
struct tally {
    struct stats_table *table;
    enum by by;
    struct map rows;
    uint32_t *row_of_frame; /* plus 1, 0 = not looked up yet */
    uint32_t *seen;
    uint32_t seen_cap;
};

static struct stats_row *tally_row(struct tally *t, uint64_t key, uint32_t *index)
{
    bool added;
    uint32_t *place = map_add(&t->rows, key, &added);
    if (!place)
        return NULL;
    if (added) {
        uint32_t n = t->table->count;
        if (ARRAY_GROW(t->table->rows, t->table->cap, n) || ARRAY_GROW(t->seen, t->seen_cap, n))
            return NULL;
        t->table->rows[n] = (struct stats_row){.label = (uint32_t)(key >> 32), .line = (int32_t)(uint32_t)key};
        t->seen[n] = 0; /* the root, which has no frame */
        *place = t->table->count++;
    }
    *index = *place;
    return &t->table->rows[*place];
}

static void figure_add(struct stats_figure *f, const struct load *l)
{
    f->weight += l->weight;
    f->samples += l->samples;
}

static int tally_frame(struct tally *t, const struct profile *p, uint32_t frame, uint32_t stack, bool leaf, const struct load *l)
{
    const struct profile_frame *f = &p->frames[frame];
    uint32_t index;
    if (!t->row_of_frame[frame]) {
        if (!tally_row(t, key_of(t->by, p, f), &index))
            return -ENOMEM;
        t->row_of_frame[frame] = index + 1;
    }
    index = t->row_of_frame[frame] - 1;
    struct stats_row *row = &t->table->rows[index];
    if (leaf)
        figure_add(&row->self, l);
    if (t->seen[index] != stack) {
        t->seen[index] = stack;
        figure_add(&row->total, l);
        row->by_type[f->type] += l->weight;
    }
    return 0;
}

static int tally_stack(struct tally *t, const struct profile *p, uint32_t stack, const struct load *l)
{
    for (uint32_t node = stack; node; node = p->nodes[node].parent) {
        uint32_t frame = p->nodes[node].frame;
        if (p->frames[frame].type != PROFILE_TYPE_MARK && tally_frame(t, p, frame, stack, node == stack, l))
            return -ENOMEM;
    }
    return 0;
}

/* Returns the rows of the trie's nodes, in the form that successive_count needs. */
static uint32_t *rows_of_nodes(const struct tally *t, const struct profile *p)
{
    uint32_t *rows = calloc(p->node_count, sizeof *rows);
    for (uint32_t node = 1; rows && node < p->node_count; node++) {
        const struct profile_frame *f = &p->frames[p->nodes[node].frame];
        const uint32_t *row = map_find(&t->rows, key_of(t->by, p, f));
        rows[node] = row && f->type != PROFILE_TYPE_MARK ? *row + 1 : 0;
    }
    return rows;
}

/* Sets all effects to 1: if the order of the samples is unknown, they count as independent draws. */
static void set_effects(struct stats_table *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        t->rows[i].self.effect = t->rows[i].total.effect = 1;
}

static int tally_effects(const struct tally *t, const struct successive_order *order)
{
    if (order->by == SUCCESSIVE_UNKNOWN) {
        set_effects(t->table);
        return 0;
    }
    uint32_t *rows = rows_of_nodes(t, order->profile);
    struct successive_whole whole = successive_whole(order);
    struct successive_pair *pairs = calloc(t->table->count + 1, sizeof *pairs);
    int rc = rows && pairs ? successive_count(order, rows, pairs, t->table->count) : -ENOMEM;
    for (uint32_t i = 0; !rc && i < t->table->count; i++) {
        struct stats_row *r = &t->table->rows[i];
        r->self.effect = successive_effect(pairs[i].self, r->self.samples, &whole);
        r->total.effect = successive_effect(pairs[i].total, r->total.samples, &whole);
    }
    free(rows);
    free(pairs);
    return rc;
}

static int tally_stacks(struct tally *tallies, size_t count, const struct profile *p, const struct successive_order *order)
{
    struct load *loads = calloc(p->node_count, sizeof *loads);
    int rc = loads ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < p->sample_count; i++) {
        struct load *l = &loads[p->samples[i].stack];
        l->weight += p->samples[i].weight;
        l->samples += p->samples[i].count;
    }
    for (size_t i = 0; i < count; i++) {
        tallies[i].row_of_frame = calloc((size_t)p->frame_count + 1, sizeof *tallies[i].row_of_frame);
        rc = rc ? rc : tallies[i].row_of_frame ? 0 : -ENOMEM;
        for (uint32_t stack = 1; !rc && stack < p->node_count; stack++)
            if (loads[stack].samples)
                rc = tally_stack(&tallies[i], p, stack, &loads[stack]);
        rc = rc ? rc : tally_effects(&tallies[i], order);
        map_deinit(&tallies[i].rows);
        free(tallies[i].row_of_frame);
        free(tallies[i].seen);
    }
    free(loads);
    return rc;
}

int stats_add_self(struct stats_table *t, struct map *rows, uint32_t label, const struct profile_sample *s)
{
    bool added;
    uint32_t *row = map_add(rows, label, &added);
    if (!row || ARRAY_GROW(t->rows, t->cap, t->count))
        return -ENOMEM;
    if (added) {
        t->rows[t->count] = (struct stats_row){.label = label, .self.effect = 1};
        *row = t->count++;
    }
    t->rows[*row].self.weight += s->weight;
    t->rows[*row].self.samples += s->count;
    return 0;
}

static void set_effect_of_threads(const struct stats *s, const struct stats_run *run, struct stats_figure *f)
{
    f->effect = run->is_known ? successive_effect(run->counts, f->samples, &s->whole) : 1;
}

static int set_effects_of_threads(struct stats *s, const struct profile *p, const struct successive_order *order)
{
    struct stats_table *t = &s->threads;
    struct successive *windows = calloc((size_t)t->count + 1, sizeof *windows);
    s->runs = calloc((size_t)t->count + 1, sizeof *s->runs);
    s->whole = successive_whole(order);
    int rc = windows && s->runs ? successive_count_threads(order, windows) : -ENOMEM;
    for (uint32_t i = 0; !rc && i < t->count; i++) {
        struct stats_figure *self = &t->rows[i].self;
        bool has_clock = order->by == SUCCESSIVE_BY_THREAD && !p->threads[i].virtual_threads;
        s->runs[i] = (struct stats_run){.counts = has_clock ? successive_of_run(self->samples) : windows[i],
                                        .is_known = has_clock || order->by == SUCCESSIVE_BY_WINDOW};
        set_effect_of_threads(s, &s->runs[i], self);
    }
    free(windows);
    return rc;
}

void stats_add_thread(const struct stats *s, const struct stats_row *thread, struct stats_run *together, struct stats_figure *to)
{
    const struct stats_run *run = &s->runs[thread->label];
    to->weight += thread->self.weight;
    to->samples += thread->self.samples;
    successive_add(&together->counts, &run->counts);
    together->is_known = together->is_known && run->is_known;
    set_effect_of_threads(s, together, to);
}

/* Computes the table of threads. If threads do not have their own clocks, chance decides which thread a sample shows. */
static int tally_threads(struct stats *s, const struct profile *p, const struct successive_order *order)
{
    struct stats_table *t = &s->threads;
    for (uint32_t id = 0; id < p->thread_count; id++) {
        if (ARRAY_GROW(t->rows, t->cap, t->count))
            return -ENOMEM;
        t->rows[t->count++] = (struct stats_row){.label = id};
    }
    for (uint32_t i = 0; i < p->sample_count; i++) {
        struct stats_figure *self = &t->rows[p->samples[i].thread].self;
        self->weight += p->samples[i].weight;
        self->samples += p->samples[i].count;
    }
    return set_effects_of_threads(s, p, order);
}

void stats_finish_figure(struct stats_figure *f, const struct stats *s)
{
    f->share = s->weight ? (double)f->weight / (double)s->weight : 0;
    f->interval = stats_wilson(f->share, s->effective / (f->effect > 0 ? f->effect : 1));
}

void stats_finish(struct stats_table *t, const struct stats *s)
{
    for (uint32_t i = 0; i < t->count; i++) {
        stats_finish_figure(&t->rows[i].self, s);
        stats_finish_figure(&t->rows[i].total, s);
    }
}

double stats_effective_samples(const struct profile *p)
{
    double squares = p->hidden_squares;
    for (uint32_t i = 0; i < p->sample_count; i++)
        squares += (double)p->samples[i].weight * (double)p->samples[i].weight / p->samples[i].count;
    return stats_effective_size((double)p->weight, squares);
}

static bool is_approximate(const struct profile *p, uint32_t stack)
{
    while (stack && p->frames[p->nodes[stack].frame].type == JFR_FRAME_KERNEL)
        stack = p->nodes[stack].parent;
    uint8_t type = p->frames[p->nodes[stack].frame].type;
    return stack && type >= JFR_FRAME_C1_APPROXIMATE && type <= JFR_FRAME_INLINED_APPROXIMATE;
}

double stats_approximate_share(const struct profile *p)
{
    double approximate = 0;
    for (uint32_t i = 0; i < p->sample_count; i++)
        if (is_approximate(p, p->samples[i].stack))
            approximate += (double)p->samples[i].weight;
    return p->weight ? approximate / (double)p->weight : 0;
}

static int fill(struct stats *s, const struct successive_order *order, struct tally *tallies, size_t count, bool threads)
{
    const struct profile *p = order->profile;
    int rc = tally_stacks(tallies, count, p, order);
    if (!rc && threads)
        rc = tally_threads(s, p, order);
    for (size_t i = 0; !rc && i < count; i++) {
        stats_finish(tallies[i].table, s);
        stats_sort(tallies[i].table, tallies[i].by == BY_TYPE ? NULL : p, STATS_BY_SELF);
    }
    if (rc)
        stats_deinit(s);
    return rc;
}

int stats_compute_ordered(struct stats *s, const struct successive_order *order)
{
    const struct profile *p = order->profile;
    struct tally tallies[] = {{.table = &s->methods, .by = BY_METHOD}, {.table = &s->lines, .by = BY_LINE}};
    *s = (struct stats){.weight = p->weight, .samples = p->sampled, .effective = stats_effective_samples(p)};
    int rc = fill(s, order, tallies, sizeof tallies / sizeof *tallies, true);
    stats_finish(&s->threads, s);
    stats_sort(&s->threads, NULL, STATS_BY_SELF);
    return rc;
}

int stats_compute(struct stats *s, const struct profile *p)
{
    struct successive_order order;
    *s = (struct stats){0};
    int rc = successive_order_init(&order, p);
    rc = rc ? rc : stats_compute_ordered(s, &order);
    successive_order_deinit(&order);
    return rc;
}

int stats_compute_groups(struct stats *s, const struct successive_order *order)
{
    struct tally tallies[] = {
        {.table = &s->classes, .by = BY_CLASS}, {.table = &s->packages, .by = BY_PACKAGE}, {.table = &s->types, .by = BY_TYPE}};
    return fill(s, order, tallies, sizeof tallies / sizeof *tallies, false);
}

void stats_deinit(struct stats *s)
{
    struct stats_table *tables[] = {&s->methods, &s->lines, &s->threads, &s->classes, &s->packages, &s->types, &s->labels, &s->own};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        free(tables[i]->rows);
    free(s->own_pairs);
    free(s->runs);
    *s = (struct stats){0};
}

struct sort_context {
    const struct profile *p; /* NULL: labels are not strings */
    enum stats_order order;
};

static int descending(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct stats_row *a = left, *b = right;
    const struct sort_context *c = context;
    int self = descending(a->self.weight, b->self.weight);
    int total = descending(a->total.weight, b->total.weight);
    int first = c->order == STATS_BY_SELF ? self : total;
    if (!first)
        first = c->order == STATS_BY_SELF ? total : self;
    if (!first && c->p)
        first = strcmp(profile_text(c->p, a->label), profile_text(c->p, b->label));
    if (!first)
        first = (a->label > b->label) - (a->label < b->label);
    return first ? first : (a->line > b->line) - (a->line < b->line);
}

void stats_sort(struct stats_table *table, const struct profile *p, enum stats_order order)
{
    struct sort_context context = {.p = p, .order = order};
    if (table->count)
        qsort_r(table->rows, table->count, sizeof *table->rows, compare_rows, &context);
}
