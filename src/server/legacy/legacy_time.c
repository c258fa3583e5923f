#include "server/legacy/legacy_time.h"

#include "base/text/number.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { DAY_MS = 86400000 };

/* Reads a length such as 1h or 30min. */
static int parse_length(const char *text, int64_t *ms)
{
    static const struct {
        const char *word;
        int64_t ms;
    } units[] = {{"s", 1000},
                 {"m", 60000},
                 {"min", 60000},
                 {"h", 3600000},
                 {"d", DAY_MS},
                 {"w", INT64_C(7) * DAY_MS},
                 {"M", INT64_C(30) * DAY_MS},
                 {"mon", INT64_C(30) * DAY_MS},
                 {"y", INT64_C(365) * DAY_MS}};
    char digits[12];
    size_t n = strspn(text, "0123456789");
    uint64_t count;
    if (!n || n >= sizeof digits)
        return -EINVAL;
    snprintf(digits, sizeof digits, "%.*s", (int)n, text);
    if (number_parse(digits, 0, 1000000, &count))
        return -EINVAL;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(text + n, units[i].word)) {
            *ms = (int64_t)count * units[i].ms;
            return 0;
        }
    return -EINVAL;
}

/* Reads YYYYMMDD. */
static int parse_day(const char *text, int64_t *ms)
{
    struct tm tm = {0};
    const char *rest = strptime(text, "%Y%m%d", &tm);
    if (!rest || *rest)
        return -EINVAL;
    *ms = (int64_t)timegm(&tm) * 1000;
    return 0;
}

static int parse_number(const char *text, int64_t *ms)
{
    int64_t v;
    size_t n = strlen(text);
    if (strspn(text, "0123456789") != n || number_parse_signed(text, 0, INT64_MAX, &v))
        return -EINVAL;
    *ms = n >= 19 ? v / 1000000 : n >= 16 ? v / 1000 : n >= 13 ? v : v < INT64_MAX / 1000 ? v * 1000 : v;
    return 0;
}

int legacy_time_parse(const char *text, int64_t now_ms, int64_t *ms)
{
    int64_t back = 0;
    const char *length = !strncmp(text, "now-", 4) ? text + 4 : *text == '-' ? text + 1 : NULL;
    if (length && parse_length(length, &back))
        return -EINVAL;
    if (length || !strcmp(text, "now")) {
        *ms = now_ms - back;
        return 0;
    }
    return strlen(text) == 8 ? parse_day(text, ms) : parse_number(text, ms);
}
