/*
 * TAP for tests in C: one executable is one test file, run by tests/run in a process of its own.
 *
 *     int main(void)
 *     {
 *         tap_ok(1 + 1 == 2, "one and one");
 *         if (!have_perf())
 *             tap_skip("perf clock: not allowed on this machine");
 *         return tap_done();
 *     }
 *
 * A point is `ok N - text` or `not ok N - text`; a failure is followed by `#` lines with file, line and condition. The plan comes last,
 * from tap_done(): a test that dies before it has no plan and therefore fails. Threads may call tap_ok, tap_skip and tap_note at the
 * same time; tap_done is called once, when they have finished. No function here is async-signal-safe.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t tap_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned tap_points;
static unsigned tap_failures;

/* Checks a condition; returns it, so that a test can stop if it makes no sense to continue. */
#define tap_ok(condition, ...) tap_ok_at((condition), __FILE__, __LINE__, #condition, __VA_ARGS__)

__attribute__((format(printf, 5, 6))) static inline bool tap_ok_at(bool passed, const char *file, int line, const char *condition,
                                                                   const char *format, ...)
{
    va_list args;

    pthread_mutex_lock(&tap_lock);
    printf("%sok %u - ", passed ? "" : "not ", ++tap_points);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    if (!passed) {
        tap_failures++;
        printf("\n#   at %s:%d\n#   %s", file, line, condition);
    }
    printf("\n");
    fflush(stdout); /* a crash after this point must not lose it */
    pthread_mutex_unlock(&tap_lock);
    return passed;
}

/* One point that cannot be checked here; the text says what and why ("what: why"). */
__attribute__((format(printf, 1, 2))) static inline void tap_skip(const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&tap_lock);
    printf("ok %u - # SKIP %s\n", ++tap_points, text);
    fflush(stdout);
    pthread_mutex_unlock(&tap_lock);
}

/* A line for the reader of the log: a measured figure, a seed. */
__attribute__((format(printf, 1, 2))) static inline void tap_note(const char *format, ...)
{
    va_list args;

    pthread_mutex_lock(&tap_lock);
    printf("# ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
    pthread_mutex_unlock(&tap_lock);
}

/* Prints the plan; the result is the exit status for main. A test without a point has failed. */
static inline int tap_done(void)
{
    printf("1..%u\n", tap_points);
    fflush(stdout);
    return tap_failures == 0 && tap_points > 0 ? 0 : 1;
}

#endif
