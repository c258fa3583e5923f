/* The storage, index arithmetic and sums of histograms. candor/histogram.h is the manual. */
#include "candor/histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 5, UNIT_MAGNITUDE_MAX = 42 };

/* Returns the number of counters for 0 .. highest: those of the first bucket, and half as many for each bucket above. */
static int64_t counters_for(const struct candor_histogram *h, int64_t highest)
{
    int64_t half = (int64_t)1 << h->half_magnitude;
    int64_t beyond = (2 * half) << h->unit_magnitude; /* the first value beyond the buckets so far */
    int64_t buckets = 1;
    while (beyond <= highest) {
        buckets++;
        if (beyond > INT64_MAX / 2)
            break;
        beyond *= 2;
    }
    return (buckets + 1) * half;
}

/* Whether the faster computation of indices is possible. Doubles represent all integers below 2^53. */
static bool is_common(const struct candor_histogram *h)
{
    return h->half_magnitude == 10 && h->unit_magnitude == 0 && candor_histogram_value_at_index(h, h->counts_len - 1) < (int64_t)1 << 53;
}

int candor_histogram_init(struct candor_histogram *h, int64_t lowest, int64_t highest, int digits)
{
    *h = (struct candor_histogram){0};
    if (digits < 1 || digits > DIGITS_MAX || lowest < 1 || lowest >> UNIT_MAGNITUDE_MAX)
        return -EINVAL;
    if (highest && highest / 2 < lowest)
        return -EINVAL;
    int64_t exact = 2; /* values up to 2 * 10^digits have separate counters; then a counter is never wider than 10^-digits of its value */
    for (int i = 0; i < digits; i++)
        exact *= 10;
    int32_t magnitude = 64 - __builtin_clzll((unsigned long long)exact - 1);
    h->auto_range = !highest;
    h->digits = digits;
    h->lowest = lowest;
    h->highest = highest ? highest : 2 * lowest;
    h->unit_magnitude = 63 - __builtin_clzll((unsigned long long)lowest);
    h->half_magnitude = magnitude - 1;
    h->mask = (((int64_t)1 << magnitude) - 1) << h->unit_magnitude;
    h->counts_len = (int32_t)counters_for(h, h->highest);
    h->common = is_common(h);
    h->counts = calloc((size_t)h->counts_len, sizeof *h->counts);
    return h->counts ? 0 : -ENOMEM;
}

void candor_histogram_deinit(struct candor_histogram *h)
{
    free(h->counts);
    *h = (struct candor_histogram){0};
}

void candor_histogram_reset(struct candor_histogram *h)
{
    memset(h->counts, 0, candor_histogram_bytes(h));
}

size_t candor_histogram_bytes(const struct candor_histogram *h)
{
    return (size_t)h->counts_len * sizeof *h->counts;
}

int64_t candor_histogram_value_at_index(const struct candor_histogram *h, int32_t index)
{
    int32_t half = (int32_t)1 << h->half_magnitude;
    int32_t bucket = (index >> h->half_magnitude) - 1;
    int64_t sub = (index & (half - 1)) + half;
    if (bucket < 0) {
        bucket = 0;
        sub -= half;
    }
    return sub << (bucket + h->unit_magnitude);
}

/* Returns the number of values of the counter at v, as a power of two. */
static int32_t width_magnitude(const struct candor_histogram *h, int64_t v)
{
    return 64 - __builtin_clzll((unsigned long long)(v | h->mask)) - (h->half_magnitude + 1);
}

int64_t candor_histogram_lowest_equivalent(const struct candor_histogram *h, int64_t v)
{
    int32_t width = width_magnitude(h, v);
    return v >> width << width;
}

int64_t candor_histogram_next_non_equivalent(const struct candor_histogram *h, int64_t v)
{
    int64_t next, width = (int64_t)1 << width_magnitude(h, v);
    return __builtin_add_overflow(candor_histogram_lowest_equivalent(h, v), width, &next) ? INT64_MAX : next;
}

int64_t candor_histogram_highest_equivalent(const struct candor_histogram *h, int64_t v)
{
    return candor_histogram_lowest_equivalent(h, v) + (((int64_t)1 << width_magnitude(h, v)) - 1);
}

int64_t candor_histogram_median_equivalent(const struct candor_histogram *h, int64_t v)
{
    return candor_histogram_lowest_equivalent(h, v) + (((int64_t)1 << width_magnitude(h, v)) >> 1);
}

bool candor_histogram_record_beyond(struct candor_histogram *h, int64_t v, int64_t count)
{
    if (!h->auto_range || v < 0)
        return false;
    int64_t len = counters_for(h, v); /* existing counters keep their places */
    int64_t *grown = realloc(h->counts, (size_t)len * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + h->counts_len, 0, (size_t)(len - h->counts_len) * sizeof *grown);
    h->counts = grown;
    h->counts_len = (int32_t)len;
    h->common = is_common(h);
    h->highest = candor_histogram_highest_equivalent(h, candor_histogram_value_at_index(h, h->counts_len - 1));
    h->counts[candor_histogram_index(h, v)] += count;
    return true;
}

static bool record_missing(struct candor_histogram *h, int64_t v, int64_t count, int64_t expected)
{
    bool good = true;
    if (expected > 0)
        for (int64_t missing = v - expected; missing >= expected; missing -= expected)
            good &= candor_histogram_record_n(h, missing, count);
    return good;
}

bool candor_histogram_record_corrected(struct candor_histogram *h, int64_t v, int64_t expected)
{
    return candor_histogram_record(h, v) && record_missing(h, v, 1, expected);
}

bool candor_histogram_next(const struct candor_histogram *h, int32_t *index, int64_t *value, int64_t *count)
{
    for (; *index < h->counts_len; ++*index)
        if ((*count = __atomic_load_n(&h->counts[*index], __ATOMIC_RELAXED))) { /* relaxed: it does not wait for recorders */
            *value = candor_histogram_value_at_index(h, (*index)++);
            return true;
        }
    return false;
}

int candor_histogram_add_corrected(struct candor_histogram *to, const struct candor_histogram *from, int64_t expected)
{
    int64_t value, count;
    bool good = true;
    for (int32_t i = 0; candor_histogram_next(from, &i, &value, &count);) {
        /* The values of coarser counters are represented by the middle of the counter. */
        if (from->digits < to->digits || from->unit_magnitude > to->unit_magnitude)
            value = candor_histogram_median_equivalent(from, value);
        good &= candor_histogram_record_n(to, value, count) && record_missing(to, value, count, expected);
    }
    return good ? 0 : -ERANGE;
}

int candor_histogram_add(struct candor_histogram *to, const struct candor_histogram *from)
{
    return candor_histogram_add_corrected(to, from, 0);
}

/* Undoes a subtraction: adds the counters of `from` before the one at `end` again. */
static void take_back(struct candor_histogram *to, const struct candor_histogram *from, int32_t end)
{
    int64_t value, count;
    for (int32_t i = 0; candor_histogram_next(from, &i, &value, &count) && i <= end;)
        candor_histogram_record_n(to, value, count);
}

int candor_histogram_subtract(struct candor_histogram *to, const struct candor_histogram *from)
{
    int64_t value, count;
    for (int32_t i = 0; candor_histogram_next(from, &i, &value, &count);) {
        bool taken = candor_histogram_record_n(to, value, -count);
        if (taken && candor_histogram_count_at(to, value) >= 0)
            continue;
        take_back(to, from, taken ? i : i - 1);
        return -ERANGE;
    }
    return 0;
}
