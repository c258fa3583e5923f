/*
 * Values into a histogram of three significant digits, and its percentiles.
 *
 *     cc latencies.c $(pkg-config --cflags --libs candor-histogram)
 */
#include <candor/histogram.h>

int main(void)
{
    struct candor_histogram h;

    if (candor_histogram_init(&h, 1, 60000000000, 3) != 0)
        return 1;
    for (int64_t us = 1; us <= 10000; us++)
        candor_histogram_record(&h, us * 1000);
    printf("%lld values, p50 %lld ns, p99 %lld ns\n", (long long)candor_histogram_total(&h), (long long)candor_histogram_percentile(&h, 50),
           (long long)candor_histogram_percentile(&h, 99));
    candor_histogram_deinit(&h);
    return 0;
}
