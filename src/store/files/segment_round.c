/* Rounds the weights of a segment's rows, so that their column takes less room. */
#include "store/files/segment.h"

#include <stdlib.h>

enum {
    MEDIAN_OF = 1023, /* so many rows, spread over all of them, give the median */
    STEP_BITS = 4,    /* a step is at most a 2^STEP_BITS-th of the median, and more than half of that */
    LEAST_STEPS = 8,  /* weights of fewer steps stay as they are: they would change by more than an eighth */
};

static int by_weight(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Returns the step, a power of two. Returns 0 if there is nothing to gain: weights that are mostly the same, or small, take little room as
 * they are. So do weights that are counts themselves, such as the requests of a second: they have no noise, and people add them up. */
static uint64_t step_of(const struct segment *s)
{
    uint64_t weights[MEDIAN_OF];
    uint32_t n = s->row_count < MEDIAN_OF ? s->row_count : MEDIAN_OF, same = 0, counts = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct segment_row *row = &s->rows[(uint64_t)i * s->row_count / n];
        weights[i] = row->weight;
        counts += row->weight == row->count;
    }
    qsort(weights, n, sizeof *weights, by_weight);
    uint64_t median = n ? weights[n / 2] : 0;
    for (uint32_t i = 0; i < n; i++)
        same += weights[i] == median;
    if (median >> STEP_BITS < 2 || same > n / 2 || counts == n)
        return 0;
    return (uint64_t)1 << (63 - __builtin_clzll(median) - STEP_BITS);
}

void segment_round(struct segment *s)
{
    struct segment_row *last = NULL;
    int64_t carried = 0; /* what the rows before have too little of; at most half a step, above or below zero */
    segment_add_up(s);
    uint64_t step = step_of(s);
    for (uint32_t i = 0; step && i < s->row_count; i++) {
        struct segment_row *row = &s->rows[i];
        if (row->weight < LEAST_STEPS * step)
            continue;
        uint64_t exact = row->weight + (uint64_t)carried;
        row->weight = (exact + step / 2) & ~(step - 1);
        carried = (int64_t)(exact - row->weight);
        last = row;
    }
    if (last)
        last->weight += (uint64_t)carried;
}
