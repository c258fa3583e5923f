/* Computes, writes and reads the sums of a segment's rows, by stack and by second. */
#include "store/files/segment.h"

#include "base/array.h"
#include "store/files/column.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 86400 };

/* ---- computing ---- */

static int add_to_stacks(struct segment *s, uint32_t *place_of)
{
    for (uint32_t i = 0; i < s->row_count; i++) {
        const struct segment_row *row = &s->rows[i];
        uint32_t *place = &place_of[row->stack];
        if (!*place) {
            if (ARRAY_GROW(s->sums, s->sum_cap, s->sum_count))
                return -ENOMEM;
            s->sums[s->sum_count] = (struct segment_sum){.stack = row->stack, .outcome = row->outcome, .state = row->state};
            *place = ++s->sum_count;
        }
        struct segment_sum *sum = &s->sums[*place - 1];
        if (row->count > UINT32_MAX - sum->count) { /* the count does not fit: the segment gets no sums */
            s->sum_count = 0;
            return 0;
        }
        sum->weight += row->weight;
        sum->count += row->count;
        sum->squares += (double)row->weight * (double)row->weight / (row->count ? row->count : 1);
    }
    return 0;
}

static int by_stack(const void *left, const void *right)
{
    const struct segment_sum *a = left, *b = right;
    return (a->stack > b->stack) - (a->stack < b->stack);
}

static int sum_stacks(struct segment *s)
{
    uint32_t *place_of = calloc((size_t)s->nodes + 1, sizeof *place_of);
    int rc = place_of ? add_to_stacks(s, place_of) : -ENOMEM;
    free(place_of);
    if (s->sum_count > s->row_count / SEGMENT_SUMS_LEAST)
        s->sum_count = 0;
    if (s->sum_count)
        qsort(s->sums, s->sum_count, sizeof *s->sums, by_stack);
    return rc;
}

static int sum_seconds(struct segment *s)
{
    uint64_t *weights = calloc(SECONDS, sizeof *weights);
    int rc = weights ? 0 : -ENOMEM;
    uint32_t last = 0;
    for (uint32_t i = 0; !rc && i < s->row_count; i++) {
        if (s->rows[i].second >= SECONDS) { /* a day has no such second */
            free(weights);
            return 0;
        }
        weights[s->rows[i].second] += s->rows[i].weight;
        last = s->rows[i].second > last ? s->rows[i].second : last;
    }
    for (uint32_t i = 0; !rc && i <= last; i++) {
        if (!weights[i])
            continue;
        rc = ARRAY_GROW(s->seconds, s->second_cap, s->second_count);
        if (!rc)
            s->seconds[s->second_count++] = (struct segment_second){weights[i], i};
    }
    free(weights);
    if (s->second_count > s->row_count / SEGMENT_SUMS_LEAST)
        s->second_count = 0;
    return rc;
}

int segment_sum_up(struct segment *s)
{
    s->sum_count = s->second_count = 0;
    if (s->row_count < SEGMENT_SUMS_ROWS)
        return 0;
    int rc = sum_stacks(s);
    return rc ? rc : sum_seconds(s);
}

/* ---- writing ---- */

enum column_of { STACKS, WEIGHTS, COUNTS, OUTCOMES, STATES, EXCESS, SECONDS_, SECOND_WEIGHTS, COLUMNS };

#define EXCESS_UNIT 65536.0

/* The least that the sum of squares can be: all weights are the same. */
static double least_squares(const struct segment_sum *sum)
{
    return (double)sum->weight * (double)sum->weight / (sum->count ? sum->count : 1);
}

/* Equal weights may come to a little less than the least, or more, because sums of doubles are rounded. */
static uint64_t excess_of(const struct segment_sum *sum)
{
    double least = least_squares(sum), part = least > 0 ? sum->squares / least - 1 : 0;
    return part > 1e-9 ? (uint64_t)ceil(part * EXCESS_UNIT) : 0;
}

static uint64_t value_of(const struct segment *s, enum column_of c, uint32_t i)
{
    switch (c) {
    case STACKS:
        return s->sums[i].stack;
    case WEIGHTS:
        return s->sums[i].weight;
    case COUNTS:
        return s->sums[i].count;
    case OUTCOMES:
        return s->sums[i].outcome;
    case STATES:
        return s->sums[i].state;
    case EXCESS:
        return excess_of(&s->sums[i]);
    case SECONDS_:
        return s->seconds[i].second;
    default:
        return s->seconds[i].weight;
    }
}

static uint32_t count_of(const struct segment *s, enum column_of c)
{
    return c >= SECONDS_ ? s->second_count : s->sum_count;
}

/* Whether the column has its numbers as they are, not the differences between them. */
static bool is_whole(enum column_of c)
{
    return c == WEIGHTS || c == EXCESS || c == SECOND_WEIGHTS;
}

int segment_put_sums(struct buffer *out, struct buffer *plain, const struct segment *s)
{
    int rc = 0;
    if (!s->sum_count && !s->second_count)
        return 0;
    for (enum column_of c = 0; !rc && c < COLUMNS; c++) {
        uint64_t before = 0;
        buffer_reset(plain);
        if (c == STACKS || c == SECONDS_)
            column_put(plain, count_of(s, c));
        for (uint32_t i = 0; i < count_of(s, c); i++) {
            uint64_t v = value_of(s, c, i);
            if (is_whole(c))
                column_put(plain, v);
            else
                column_put_signed(plain, (int64_t)(v - before));
            before = v;
        }
        rc = column_pack(out, plain);
    }
    return rc;
}

/* ---- reading ---- */

static int make_room(struct segment *s, enum column_of c, uint64_t count)
{
    if (count > SEGMENT_ROWS_MAX)
        return -EBADMSG;
    if (c == STACKS) {
        s->sum_count = (uint32_t)count;
        s->sums = calloc((size_t)count + 1, sizeof *s->sums);
        return s->sums ? 0 : -ENOMEM;
    }
    s->second_count = (uint32_t)count;
    s->seconds = calloc((size_t)count + 1, sizeof *s->seconds);
    return s->seconds ? 0 : -ENOMEM;
}

static int set_value(struct segment *s, enum column_of c, uint32_t i, uint64_t v)
{
    switch (c) {
    case STACKS:
        s->sums[i].stack = (uint32_t)v;
        return v < s->nodes ? 0 : -EBADMSG;
    case WEIGHTS:
        s->sums[i].weight = v;
        return v >> 62 ? -EBADMSG : 0;
    case COUNTS:
        s->sums[i].count = (uint32_t)v;
        return v <= UINT32_MAX ? 0 : -EBADMSG;
    case OUTCOMES:
        s->sums[i].outcome = (uint32_t)v;
        return v < s->strings ? 0 : -EBADMSG;
    case STATES:
        s->sums[i].state = (uint8_t)v;
        return v <= UINT8_MAX ? 0 : -EBADMSG;
    case EXCESS:
        s->sums[i].squares = least_squares(&s->sums[i]) * (1 + (double)v / EXCESS_UNIT);
        return 0;
    case SECONDS_:
        s->seconds[i].second = (uint32_t)v;
        return v < SECONDS ? 0 : -EBADMSG;
    default:
        s->seconds[i].weight = v;
        return v >> 62 ? -EBADMSG : 0;
    }
}

static int read_column(struct segment *s, enum column_of c, struct column *in)
{
    uint64_t before = 0;
    int rc = c == STACKS || c == SECONDS_ ? make_room(s, c, column_next(in)) : 0;
    for (uint32_t i = 0; !rc && i < count_of(s, c); i++) {
        uint64_t v = is_whole(c) ? column_next(in) : before + (uint64_t)column_next_signed(in);
        rc = set_value(s, c, i, v);
        before = v;
    }
    return in->bad ? -EBADMSG : rc;
}

int segment_read_sums(struct segment *s, const uint8_t *bytes, size_t size, bool excess)
{
    size_t at = 0;
    int rc = 0;
    for (enum column_of c = 0; !rc && size && c < COLUMNS; c++) {
        struct column in;
        if (c == EXCESS && !excess)
            continue;
        rc = column_open(&in, bytes, size, &at);
        if (!rc) {
            rc = read_column(s, c, &in);
            column_close(&in);
        }
    }
    for (uint32_t i = 0; !rc && !excess && i < s->sum_count; i++)
        s->sums[i].squares = least_squares(&s->sums[i]);
    return !rc && at != size ? -EBADMSG : rc;
}
