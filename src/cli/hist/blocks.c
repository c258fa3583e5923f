#include "cli/hist/blocks.h"

#include <math.h>
#include <stddef.h>

#define HARDLY 0.1 /* a correlation of neighbors */

struct run {
    struct block blocks[BLOCKS_MOST];
    uint32_t count;
};

/* Unites pieces into at most `most` blocks. Pieces that fill no block at the end belong to the last one. */
static void cut(struct run *r, const struct block *pieces, uint32_t count, uint32_t length)
{
    r->count = count / length;
    for (uint32_t i = 0; i < r->count; i++)
        r->blocks[i] = (struct block){0, 0};
    for (uint32_t i = 0; i < count; i++) {
        struct block *b = &r->blocks[i / length < r->count ? i / length : r->count - 1];
        b->above += pieces[i].above;
        b->all += pieces[i].all;
    }
}

struct share {
    double share, variance; /* variance: of the share */
};

/* The share of a run whose blocks are at blocks[order[0]], ... The variance is that of a ratio of sums. */
static struct share share_of(const struct block *const *blocks, uint32_t count)
{
    double above = 0, all = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        above += blocks[i]->above;
        all += blocks[i]->all;
    }
    if (all <= 0)
        return (struct share){0, 0};
    double share = above / all;
    for (uint32_t i = 0; i < count; i++) {
        double rest = blocks[i]->above - share * blocks[i]->all;
        squares += rest * rest;
    }
    return (struct share){share, squares / (all * all) * count / (count - 1)};
}

static double statistic(const struct block *const *blocks, uint32_t a_count, uint32_t b_count)
{
    struct share a = share_of(blocks, a_count), b = share_of(blocks + a_count, b_count);
    double difference = fabs(a.share - b.share), error = sqrt(a.variance + b.variance);
    return error > 0 ? difference / error : difference > 0 ? INFINITY : 0;
}

/* Adds the products of neighbors, and the squares, of a run's deviations from its share. */
static void add_products(const struct run *r, double *neighbors, double *squares)
{
    const struct block *list[BLOCKS_MOST];
    double before = 0;
    for (uint32_t i = 0; i < r->count; i++)
        list[i] = &r->blocks[i];
    double share = share_of(list, r->count).share;
    for (uint32_t i = 0; i < r->count; i++) {
        double rest = r->blocks[i].above - share * r->blocks[i].all;
        *neighbors += i ? before * rest : 0;
        *squares += rest * rest;
        before = rest;
    }
}

/* The correlation of neighboring blocks. Deviations from a mean of n blocks are correlated by -1/n by themselves, which is added. */
static double correlation(const struct run *a, const struct run *b)
{
    double neighbors = 0, squares = 0;
    add_products(a, &neighbors, &squares);
    add_products(b, &neighbors, &squares);
    return squares > 0 ? neighbors / squares + 2.0 / (a->count + b->count) : 0;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void shuffle(const struct block **blocks, uint32_t count, uint64_t *state)
{
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t other = (uint32_t)(((next_random(state) >> 32) * (i + 1)) >> 32);
        const struct block *moved = blocks[i];
        blocks[i] = blocks[other];
        blocks[other] = moved;
    }
}

static double permute(const struct run *a, const struct run *b, double correlated)
{
    const struct block *list[2 * BLOCKS_MOST];
    uint64_t state = 1;
    uint32_t as_far = 0;
    for (uint32_t i = 0; i < a->count + b->count; i++)
        list[i] = i < a->count ? &a->blocks[i] : &b->blocks[i - a->count];
    double lowered = correlated > 0 ? sqrt((1 - correlated) / (1 + correlated)) : 1;
    double found = statistic(list, a->count, b->count) * lowered * (1 - 1e-9); /* equal ones count, however they are rounded */
    for (int i = 0; i < BLOCKS_ASSIGNMENTS; i++) {
        shuffle(list, a->count + b->count, &state);
        as_far += statistic(list, a->count, b->count) >= found;
    }
    return (as_far + 1.0) / (BLOCKS_ASSIGNMENTS + 1.0);
}

double blocks_test(const struct block *a, uint32_t a_count, const struct block *b, uint32_t b_count)
{
    struct run x, y;
    uint32_t shorter = a_count < b_count ? a_count : b_count, longer = a_count + b_count - shorter;
    double correlated;
    if (shorter < BLOCKS_LEAST)
        return -1;
    for (uint32_t length = (longer + BLOCKS_MOST - 1) / BLOCKS_MOST;; length *= 2) {
        if (shorter / length < BLOCKS_LEAST)
            return -1; /* the runs differ too much in length */
        cut(&x, a, a_count, length);
        cut(&y, b, b_count, length);
        correlated = correlation(&x, &y);
        if (correlated <= HARDLY || shorter / (2 * length) < BLOCKS_LEAST)
            break;
    }
    return permute(&x, &y, correlated < 0.9 ? correlated : 0.9);
}

void blocks_correct(double *p, uint32_t count)
{
    enum { DONE = 2 }; /* added to values that are corrected */
    uint32_t left = 0;
    double most = 0;
    for (uint32_t i = 0; i < count; i++)
        left += p[i] >= 0;
    for (; left; left--) {
        double *least = NULL;
        for (uint32_t i = 0; i < count; i++)
            if (p[i] >= 0 && p[i] < DONE && (!least || p[i] < *least))
                least = &p[i];
        most = fmax(most, fmin(*least * left, 1));
        *least = most + DONE;
    }
    for (uint32_t i = 0; i < count; i++)
        p[i] -= p[i] >= DONE ? DONE : 0;
}
