#include "server/logs/tell.h"

#include "base/text/units.h"
#include "base/time_units.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the variables below */
static uint64_t window_ns, lines, left_out, left_out_all;

static void put(const char *text)
{
    char stamp[32];
    time_t now = time(NULL);
    struct tm tm;
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    fprintf(stderr, "%s %s\n", stamp, text);
}

/* Begins the next window if this one is over, and reports what was left out. Call it with the lock. */
static void next_window(void)
{
    char text[80];
    uint64_t now = clock_monotonic_ns();
    if (window_ns && now - window_ns < TELL_WINDOW_S * NS_PER_S)
        return;
    if (left_out) {
        snprintf(text, sizeof text, "%" PRIu64 " more lines within %d s were left out of this log", left_out, TELL_WINDOW_S);
        put(text);
    }
    window_ns = now;
    lines = left_out = 0;
}

void tell_line(const char *text)
{
    pthread_mutex_lock(&lock);
    next_window();
    bool fits = lines++ < TELL_LINES;
    left_out += !fits;
    left_out_all += !fits;
    if (fits)
        put(text);
    pthread_mutex_unlock(&lock);
}

void tell_rest(void)
{
    pthread_mutex_lock(&lock);
    if (left_out)
        next_window();
    pthread_mutex_unlock(&lock);
}

uint64_t tell_left_out(void)
{
    pthread_mutex_lock(&lock);
    uint64_t n = left_out_all;
    pthread_mutex_unlock(&lock);
    return n;
}
