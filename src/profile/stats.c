#include "profile/stats.h"

#include "base/array.h"
#include "profile/successive.h"

#include <math.h>
#include <string.h>

struct interval stats_wilson(double share, double n)
{
    static const double z = 1.959963984540054; /* leaves 2.5 % on each side of the normal distribution */
    if (!(n > 0))
        return (struct interval){0, 1};
    double shrink = 1 + z * z / n;
    double centre = (share + z * z / (2 * n)) / shrink;
    double half = z / shrink * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    /* The ends are exactly 0 and 1 for shares of 0 and 1, were it not for rounding. */
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

/* What the samples put on one stack. */
struct load {
    uint64_t weight;
    uint32_t samples;
};

/* A table under construction; `seen[row]` is the last stack that was counted into the row's total. */
struct tally {
    struct stats_table *table;
    struct map rows;
    uint32_t *seen;
    uint32_t seen_cap;
};

static struct stats_row *tally_row(struct tally *t, uint32_t label, int32_t line, uint32_t *index)
{
    bool added;
    uint32_t *place = map_add(&t->rows, (uint64_t)label << 32 | (uint32_t)line, &added);
    if (!place)
        return NULL;
    if (added) {
        uint32_t n = t->table->count;
        if (ARRAY_GROW(t->table->rows, t->table->cap, n) || ARRAY_GROW(t->seen, t->seen_cap, n))
            return NULL;
        t->table->rows[n] = (struct stats_row){.label = label, .line = line};
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

static int tally_frame(struct tally *t, const struct profile_frame *f, int32_t line, uint32_t stack, bool leaf,
                       const struct load *l)
{
    uint32_t index;
    struct stats_row *row = tally_row(t, f->label, line, &index);
    if (!row)
        return -ENOMEM;
    if (leaf)
        figure_add(&row->self, l);
    if (t->seen[index] != stack) {
        t->seen[index] = stack;
        figure_add(&row->total, l);
        row->by_type[f->type] += l->weight;
    }
    return 0;
}

static int tally_stack(struct tally *methods, struct tally *lines, const struct profile *p, uint32_t stack,
                       const struct load *l)
{
    for (uint32_t node = stack; node; node = p->nodes[node].parent) {
        const struct profile_frame *f = &p->frames[p->nodes[node].frame];
        if (f->type == PROFILE_TYPE_MARK)
            continue;
        if (tally_frame(methods, f, 0, stack, node == stack, l) || tally_frame(lines, f, f->line, stack, node == stack, l))
            return -ENOMEM;
    }
    return 0;
}

/* The rows that the nodes of the trie belong to, as successive_count wants them. */
static uint32_t *rows_of_nodes(const struct tally *t, const struct profile *p, bool lines)
{
    uint32_t *rows = calloc(p->node_count, sizeof *rows);
    for (uint32_t node = 1; rows && node < p->node_count; node++) {
        const struct profile_frame *f = &p->frames[p->nodes[node].frame];
        const uint32_t *row = map_find(&t->rows, (uint64_t)f->label << 32 | (uint32_t)(lines ? f->line : 0));
        rows[node] = row && f->type != PROFILE_TYPE_MARK ? *row + 1 : 0;
    }
    return rows;
}

static int tally_effects(const struct tally *t, const struct successive_order *order, bool lines)
{
    uint32_t *rows = rows_of_nodes(t, order->profile, lines);
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

static int tally_stacks(struct stats *s, const struct profile *p, const struct successive_order *order)
{
    int rc = -ENOMEM;
    struct tally methods = {.table = &s->methods}, lines = {.table = &s->lines};
    struct load *loads = calloc(p->node_count, sizeof *loads);
    if (!loads)
        goto done;
    for (uint32_t i = 0; i < p->sample_count; i++) {
        struct load *l = &loads[p->samples[i].stack];
        l->weight += p->samples[i].weight;
        l->samples++;
    }
    for (uint32_t stack = 1; stack < p->node_count; stack++)
        if (loads[stack].samples && tally_stack(&methods, &lines, p, stack, &loads[stack]))
            goto done;
    rc = tally_effects(&methods, order, false);
    rc = rc ? rc : tally_effects(&lines, order, true);
done:
    free(loads);
    map_deinit(&methods.rows);
    map_deinit(&lines.rows);
    free(methods.seen);
    free(lines.seen);
    return rc;
}

/* Where threads have no clocks of their own, which of them a sample shows is drawn by lot. */
static int tally_threads(struct stats_table *t, const struct profile *p, const struct successive_order *order)
{
    struct successive_whole whole = successive_whole(order);
    for (uint32_t id = 0; id < p->thread_count; id++) {
        if (ARRAY_GROW(t->rows, t->cap, t->count))
            return -ENOMEM;
        t->rows[t->count++] = (struct stats_row){.label = id};
    }
    for (uint32_t i = 0; i < p->sample_count; i++) {
        struct stats_figure *self = &t->rows[p->samples[i].thread].self;
        self->weight += p->samples[i].weight;
        self->samples++;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        struct stats_figure *self = &t->rows[i].self;
        bool has_clock = order->by == SUCCESSIVE_BY_THREAD && !p->threads[i].virtual_threads;
        self->effect = has_clock ? successive_effect(successive_of_run(self->samples), self->samples, &whole) : 1;
    }
    return 0;
}

static void figure_finish(struct stats_figure *f, const struct stats *s)
{
    f->share = s->weight ? (double)f->weight / (double)s->weight : 0;
    f->interval = stats_wilson(f->share, s->effective / (f->effect > 0 ? f->effect : 1));
}

static void table_finish(struct stats_table *t, const struct stats *s)
{
    for (uint32_t i = 0; i < t->count; i++) {
        figure_finish(&t->rows[i].self, s);
        figure_finish(&t->rows[i].total, s);
    }
}

double stats_effective_samples(const struct profile *p)
{
    double squares = 0;
    for (uint32_t i = 0; i < p->sample_count; i++)
        squares += (double)p->samples[i].weight * (double)p->samples[i].weight;
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

int stats_compute(struct stats *s, const struct profile *p)
{
    struct successive_order order;
    *s = (struct stats){.weight = p->weight, .samples = p->sample_count, .effective = stats_effective_samples(p)};
    int rc = successive_order_init(&order, p) || tally_stacks(s, p, &order) || tally_threads(&s->threads, p, &order);
    successive_order_deinit(&order);
    if (rc) {
        stats_deinit(s);
        return -ENOMEM;
    }
    table_finish(&s->methods, s);
    table_finish(&s->lines, s);
    table_finish(&s->threads, s);
    stats_sort(&s->methods, p, STATS_BY_SELF);
    stats_sort(&s->lines, p, STATS_BY_SELF);
    stats_sort(&s->threads, NULL, STATS_BY_SELF);
    return 0;
}

void stats_deinit(struct stats *s)
{
    free(s->methods.rows);
    free(s->lines.rows);
    free(s->threads.rows);
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
