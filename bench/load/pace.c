/* pace RATE SECONDS: a bare timerfd loop at RATE per second; prints the percentiles of how late it woke, in ns. */
#include "base/time_units.h"
#include "candor/histogram.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

int main(int argc, char **argv)
{
    struct candor_histogram h;
    double rate = argc > 2 ? strtod(argv[1], NULL) : 0, seconds = argc > 2 ? strtod(argv[2], NULL) : 0;
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    if (rate <= 0 || timer < 0 || candor_histogram_init(&h, 1, 3600 * NS_PER_S, 3))
        return 2;
    int64_t start = now_ns() + NS_PER_MS;
    for (int64_t n = 0; (double)n < rate * seconds; n++) {
        int64_t due = start + (int64_t)((double)n * NS_PER_S / rate);
        uint64_t times;
        struct itimerspec when = {.it_value = {due / NS_PER_S, due % NS_PER_S}};
        if (now_ns() < due && (timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL) || read(timer, &times, sizeof times) < 0))
            return 1;
        candor_histogram_record(&h, now_ns() - due);
    }
    printf("%" PRId64 " %" PRId64 " %" PRId64 "\n", candor_histogram_percentile(&h, 50), candor_histogram_percentile(&h, 99),
           candor_histogram_max(&h));
    return 0;
}
