#include "daemon/log.h"

#include "base/text/units.h"
#include "base/text/utf8.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE_MAX_BYTES = 1024, ERROR = 3, WARNING = 4, INFO = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char last[LINE_MAX_BYTES];
static uint64_t last_ns;

static void put_head(FILE *out, int level)
{
    static const char *const words[] = {[ERROR] = "error", [WARNING] = "warning", [INFO] = "info"};
    char stamp[32];
    struct tm utc;
    time_t now = time(NULL);
    if (getenv("JOURNAL_STREAM")) {
        fprintf(out, "<%d>", level);
        return;
    }
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    fprintf(out, "%s %s ", stamp, words[level]);
}

static void say(int level, const char *format, va_list args)
{
    char text[LINE_MAX_BYTES], line[2 * LINE_MAX_BYTES];
    vsnprintf(text, sizeof text, format, args);
    FILE *out = fmemopen(line, sizeof line, "w");
    if (!out)
        return;
    put_head(out, level);
    utf8_print(out, text);
    fputs("\n", out);
    fclose(out);
    pthread_mutex_lock(&lock);
    fputs(line, stderr);
    fflush(stderr);
    if (level < INFO) {
        memcpy(last, text, sizeof last);
        last_ns = clock_realtime_ns();
    }
    pthread_mutex_unlock(&lock);
}

#define SAY(level)                                                                                                                         \
    va_list args;                                                                                                                          \
    va_start(args, format);                                                                                                                \
    say(level, format, args);                                                                                                              \
    va_end(args)

void log_info(const char *format, ...)
{
    SAY(INFO);
}

void log_warning(const char *format, ...)
{
    SAY(WARNING);
}

void log_error(const char *format, ...)
{
    SAY(ERROR);
}

uint64_t log_last_problem(char *text, size_t size)
{
    pthread_mutex_lock(&lock);
    snprintf(text, size, "%s", last);
    uint64_t when = last_ns;
    pthread_mutex_unlock(&lock);
    return when;
}
