#include "profile/figures/diff_runs.h"

#include "profile/figures/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The state of a row: the sum in the current block; the last two blocks' deviations from the row's share of the whole; and three sums
 * over all blocks: of the squares of these deviations, of the products of adjacent deviations, and of the products of deviations two
 * blocks apart. */
struct row_blocks {
    double sum, missed[2], squares, products[2];
};

struct blocks {
    struct row_blocks *self, *total;
    uint32_t *seen; /* the sample whose stack was last counted into the row's total, plus 1 */
};

static int64_t block_of(const struct profile *p, const struct profile_sample *s)
{
    int64_t at = s->time_ns - p->start_ns;
    if (at < 0)
        return 0;
    int64_t block = (int64_t)((double)at / (double)p->duration_ns * DIFF_BLOCKS);
    return block < DIFF_BLOCKS ? block : DIFF_BLOCKS - 1;
}

static void count(struct blocks *b, const struct profile *p, const uint32_t *row_of_node, uint32_t sample)
{
    const struct profile_sample *s = &p->samples[sample];
    double weight = (double)s->weight;
    for (uint32_t node = s->stack; node; node = p->nodes[node].parent) {
        uint32_t row = row_of_node[node];
        if (!row)
            continue;
        if (node == s->stack)
            b->self[row - 1].sum += weight;
        if (b->seen[row - 1] != sample + 1)
            b->total[row - 1].sum += weight;
        b->seen[row - 1] = sample + 1;
    }
}

static void close_row(struct row_blocks *r, double expected)
{
    double missed = r->sum - expected;
    r->squares += missed * missed;
    r->products[0] += missed * r->missed[0];
    r->products[1] += missed * r->missed[1];
    r->missed[1] = r->missed[0];
    r->missed[0] = missed;
    r->sum = 0;
}

static double variance_of(const struct row_blocks *r)
{
    return compare_blocks(r->squares, r->products[0], r->products[1]);
}

/* Ends a block: notes how far each row deviates from its share in this block. The block's part of the whole is its part of the weight,
 * or with `absolute` its part of the time. */
static void close_block(struct blocks *b, const struct diff_run *run, double weight, bool absolute)
{
    double part = absolute ? 1.0 / DIFF_BLOCKS : weight / run->weight;
    for (uint32_t row = 0; row < run->count; row++) {
        close_row(&b->self[row], run->cells[row].self.weight * part);
        close_row(&b->total[row], run->cells[row].total.weight * part);
    }
}

static int by_block(const void *left, const void *right, void *context)
{
    const struct profile *p = context;
    const struct profile_sample *a = &p->samples[*(const uint32_t *)left], *b = &p->samples[*(const uint32_t *)right];
    int64_t x = block_of(p, a), y = block_of(p, b);
    return (x > y) - (x < y);
}

static void run_through(struct blocks *b, struct diff_run *run, const struct profile *p, const uint32_t *row_of_node, uint32_t *order,
                        bool absolute)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < p->sample_count; i++)
        order[i] = i;
    qsort_r(order, p->sample_count, sizeof *order, by_block, (void *)p);
    for (int64_t block = 0; block < DIFF_BLOCKS; block++) {
        double weight = 0;
        for (; at < p->sample_count && block_of(p, &p->samples[order[at]]) == block; at++) {
            count(b, p, row_of_node, order[at]);
            weight += (double)p->samples[order[at]].weight;
        }
        close_block(b, run, weight, absolute);
    }
    double scale = (double)DIFF_BLOCKS / (DIFF_BLOCKS - 1) / (run->weight * run->weight);
    for (uint32_t row = 0; row < run->count; row++) {
        run->cells[row].self.slow = scale * variance_of(&b->self[row]);
        run->cells[row].total.slow = scale * variance_of(&b->total[row]);
    }
}

int diff_blocks(struct diff_run *run, const struct profile *p, const uint32_t *row_of_node, bool absolute)
{
    if (!p->duration_ns || !p->start_ns || p->sampled > p->sample_count || p->sample_count < 4 * DIFF_BLOCKS)
        return 0; /* no times, or too few samples */
    size_t n = (size_t)run->count + 1;
    struct row_blocks *rows = calloc(2 * n, sizeof *rows);
    struct blocks b = {.self = rows, .seen = calloc(n, sizeof *b.seen)};
    uint32_t *order = calloc((size_t)p->sample_count + 1, sizeof *order);
    int rc = rows && b.seen && order ? 0 : -ENOMEM;
    if (!rc) {
        b.total = rows + n;
        run_through(&b, run, p, row_of_node, order, absolute);
    }
    free(rows);
    free(b.seen);
    free(order);
    return rc;
}
