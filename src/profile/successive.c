#include "profile/successive.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct successive successive_run = {2, 4};

/* One run over the samples. `on_path` counts the frames of a row between the root and `fork`, the last node that the stacks of a
 * triple have in common: what lies there is in all three. */
struct run {
    const struct profile *p;
    const uint32_t *row_of;
    struct successive_pair *pairs;
    uint32_t *depth, *on_path, *touched;
    uint8_t *shows;
    uint32_t touched_count, fork;
};

static uint32_t row_at(const struct run *r, uint32_t node)
{
    return r->row_of[node];
}

static uint32_t fork_of(const struct run *r, uint32_t a, uint32_t b)
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

static void count_path(struct run *r, uint32_t from, uint32_t to, int by)
{
    for (; from != to; from = r->p->nodes[from].parent)
        if (row_at(r, from))
            r->on_path[row_at(r, from) - 1] += (uint32_t)by;
}

static void move_fork(struct run *r, uint32_t to)
{
    uint32_t common = fork_of(r, r->fork, to);
    count_path(r, r->fork, common, -1);
    count_path(r, to, common, 1);
    r->fork = to;
}

static void show(struct run *r, uint32_t row, uint8_t bit)
{
    if (!row)
        return;
    if (!r->shows[row - 1])
        r->touched[r->touched_count++] = row - 1;
    r->shows[row - 1] |= bit;
}

/* bits: which of three samples show it, the first in bit 0. */
static void add(struct successive *s, uint8_t bits)
{
    s->next += (bits ^ bits >> 1) & 1;
    s->next_but_one += (bits ^ bits >> 2) & 1;
}

static void take_self(struct run *r, const uint32_t stacks[3])
{
    for (int i = 0; i < 3; i++)
        show(r, row_at(r, stacks[i]), (uint8_t)(1 << i));
    while (r->touched_count) {
        uint32_t row = r->touched[--r->touched_count];
        add(&r->pairs[row].self, r->shows[row]);
        r->shows[row] = 0;
    }
}

static void take_total(struct run *r, const uint32_t stacks[3])
{
    move_fork(r, fork_of(r, fork_of(r, stacks[0], stacks[1]), stacks[2]));
    for (int i = 0; i < 3; i++)
        for (uint32_t node = stacks[i]; node != r->fork; node = r->p->nodes[node].parent)
            show(r, row_at(r, node), (uint8_t)(1 << i));
    while (r->touched_count) {
        uint32_t row = r->touched[--r->touched_count];
        if (!r->on_path[row])
            add(&r->pairs[row].total, r->shows[row]);
        r->shows[row] = 0;
    }
}

static void take_all(struct run *r, const uint32_t *order)
{
    const struct profile_sample *samples = r->p->samples;
    for (uint32_t i = 0; i + 2 < r->p->sample_count; i++) {
        const uint32_t stacks[3] = {samples[order[i]].stack, samples[order[i + 1]].stack, samples[order[i + 2]].stack};
        if (stacks[0] == stacks[1] && stacks[1] == stacks[2])
            continue;
        take_self(r, stacks);
        take_total(r, stacks);
    }
}

static bool has_clocks_per_thread(const struct profile *p)
{
    static const char *const clocks[] = {"sigtrap", "signal", "timer"};
    const char *clock = profile_setting(p, "clock");
    for (size_t i = 0; clock && i < sizeof clocks / sizeof *clocks; i++)
        if (!strcmp(clock, clocks[i]))
            return true;
    return false;
}

struct sort_context {
    const struct profile_sample *samples;
    bool by_thread;
};

static int compare(const void *left, const void *right, void *context)
{
    const struct sort_context *c = context;
    const struct profile_sample *a = &c->samples[*(const uint32_t *)left], *b = &c->samples[*(const uint32_t *)right];
    if (c->by_thread && a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return (a > b) - (a < b);
}

uint32_t *successive_order(const struct profile *p)
{
    struct sort_context context = {p->samples, has_clocks_per_thread(p)};
    uint32_t *order = malloc((p->sample_count + 1) * sizeof *order);
    if (!order)
        return NULL;
    for (uint32_t i = 0; i < p->sample_count; i++)
        order[i] = i;
    qsort_r(order, p->sample_count, sizeof *order, compare, &context);
    return order;
}

int successive_count(const struct profile *p, const uint32_t *order, const uint32_t *row_of, struct successive_pair *pairs,
                     uint32_t row_count)
{
    struct run r = {.p = p, .row_of = row_of, .pairs = pairs};
    int rc = -ENOMEM;
    r.depth = calloc(p->node_count, sizeof *r.depth);
    r.on_path = calloc(row_count + 1, sizeof *r.on_path);
    r.touched = calloc(row_count + 1, sizeof *r.touched);
    r.shows = calloc(row_count + 1, sizeof *r.shows);
    if (r.depth && r.on_path && r.touched && r.shows) {
        for (uint32_t i = 1; i < p->node_count; i++)
            r.depth[i] = r.depth[p->nodes[i].parent] + 1;
        take_all(&r, order);
        rc = 0;
    }
    free(r.depth);
    free(r.on_path);
    free(r.touched);
    free(r.shows);
    return rc;
}

/* Of a process that is correlated by rho from sample to sample, and exponentially in between, sampled at even distances: the sum
 * of its correlations at the samples less their integral, which even sampling has right. */
static double effect_of_slow(double rho)
{
    return rho < 0.9999 ? (1 + rho) / (1 - rho) + 2 / log(rho) : (1 - rho) / 6;
}

double successive_effect(struct successive differences, uint32_t k, uint32_t n)
{
    if (!k || k == n || n < 3)
        return 1;
    double share = (double)k / n, variance = share * (1 - share);
    double next = 1 - fmax(differences.next, 1) / (2.0 * (n - 1) * variance);
    double next_but_one = 1 - fmax(differences.next_but_one, 2) / (2.0 * (n - 2) * variance);
    if (next <= 0 || next_but_one <= 0)
        return 1;
    double rho = fmin(next_but_one / next, 1), slow = fmin(next * next / next_but_one, 1);
    return 1 - slow + slow * effect_of_slow(rho);
}
