/* Computes statistics of a histogram: total, smallest and largest value, mean, standard deviation, percentiles, counts in a range. */
#include "candor/histogram.h"

#include <math.h>

int64_t candor_histogram_total(const struct candor_histogram *h)
{
    int64_t total = 0, value, count;
    for (int32_t i = 0; candor_histogram_next(h, &i, &value, &count);)
        total += count;
    return total;
}

int64_t candor_histogram_min(const struct candor_histogram *h)
{
    int64_t value, count;
    int32_t i = 0;
    return candor_histogram_next(h, &i, &value, &count) ? value : 0;
}

int64_t candor_histogram_max(const struct candor_histogram *h)
{
    for (int32_t i = h->counts_len; i-- > 0;)
        if (h->counts[i])
            return candor_histogram_highest_equivalent(h, candor_histogram_value_at_index(h, i));
    return 0;
}

double candor_histogram_mean(const struct candor_histogram *h)
{
    int64_t value, count, total = 0;
    double sum = 0;
    for (int32_t i = 0; candor_histogram_next(h, &i, &value, &count); total += count)
        sum += (double)candor_histogram_median_equivalent(h, value) * (double)count;
    return total ? sum / (double)total : 0;
}

double candor_histogram_stddev(const struct candor_histogram *h)
{
    int64_t value, count, total = 0;
    double squares = 0, mean = candor_histogram_mean(h);
    for (int32_t i = 0; candor_histogram_next(h, &i, &value, &count); total += count) {
        double off = (double)candor_histogram_median_equivalent(h, value) - mean;
        squares += off * off * (double)count;
    }
    return total ? sqrt(squares / (double)total) : 0;
}

/* Returns the number of values, among `total`, that make up the percentile. It is rounded up, except for the error of the
 * multiplication. */
static int64_t rank(double percentile, int64_t total)
{
    double p = nextafter(fmin(fmax(percentile, 0), 100), -INFINITY);
    int64_t n = (int64_t)ceil(p * (double)total / 100);
    return n < 1 ? 1 : n;
}

void candor_histogram_percentiles(const struct candor_histogram *h, const double *percentiles, int64_t *values, size_t n)
{
    int64_t total = candor_histogram_total(h), so_far = 0, value = 0, count;
    size_t at = 0;
    for (int32_t i = 0; at < n && candor_histogram_next(h, &i, &value, &count);) {
        so_far += count;
        for (; at < n && so_far >= rank(percentiles[at], total); at++)
            values[at] = percentiles[at] <= 0 ? value : candor_histogram_highest_equivalent(h, value);
    }
    for (; at < n; at++)
        values[at] = total ? candor_histogram_highest_equivalent(h, value) : 0;
}

int64_t candor_histogram_percentile(const struct candor_histogram *h, double percentile)
{
    int64_t value;
    candor_histogram_percentiles(h, &percentile, &value, 1);
    return value;
}

int64_t candor_histogram_count_between(const struct candor_histogram *h, int64_t low, int64_t high)
{
    int64_t total = 0;
    if (high < 0 || low > high)
        return 0;
    int32_t last = candor_histogram_index(h, high);
    for (int32_t i = candor_histogram_index(h, low < 0 ? 0 : low); i <= last && i < h->counts_len; i++)
        total += h->counts[i];
    return total;
}

int64_t candor_histogram_count_at(const struct candor_histogram *h, int64_t v)
{
    return candor_histogram_count_between(h, v, v);
}

double candor_histogram_percentile_of(const struct candor_histogram *h, int64_t v)
{
    int64_t total = candor_histogram_total(h);
    return total ? 100.0 * (double)candor_histogram_count_between(h, 0, v) / (double)total : 100;
}

/* Returns the next step of the spectrum: `ticks` steps each time the distance to 100 % halves. */
static double next_step(double percentile, int ticks)
{
    double halvings = floor(log2(100 / (100 - percentile))) + 1;
    return percentile + 100 / (ticks * pow(2, halvings));
}

void candor_histogram_spectrum(const struct candor_histogram *h, int ticks, candor_histogram_step step, void *context)
{
    int64_t total = candor_histogram_total(h), so_far = 0, value = 0, count;
    double percentile = 0;
    for (int32_t i = 0; candor_histogram_next(h, &i, &value, &count);) {
        so_far += count;
        double reached = 100.0 * (double)so_far / (double)total;
        int64_t highest = candor_histogram_highest_equivalent(h, value);
        while (so_far < total ? percentile <= reached : percentile < 100) {
            step(context, highest, percentile, so_far);
            percentile = next_step(percentile, ticks);
            if (so_far == total) /* the last value has one row at the percentile where it begins, and one at the end */
                break;
        }
    }
    step(context, total ? candor_histogram_highest_equivalent(h, value) : 0, 100, total);
}
