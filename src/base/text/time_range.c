#include "base/text/time_range.h"

#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct whole {
    int64_t start_ns, end_ns;
};

/* Reads a fraction of a second, such as ".5", if there is one. Returns the position after it. */
static const char *skip_fraction(const char *at, int64_t *ns)
{
    *ns = 0;
    if (*at != '.')
        return at;
    at++;
    for (int64_t unit = NS_PER_S / 10; *at >= '0' && *at <= '9'; at++, unit /= 10)
        *ns += (*at - '0') * unit;
    return at;
}

static int moment(time_t seconds, int64_t fraction, int64_t *ns)
{
    if (seconds < 0 || seconds > INT64_MAX / NS_PER_S - 1)
        return -EINVAL;
    *ns = (int64_t)seconds * NS_PER_S + fraction;
    return 0;
}

static int parse_absolute(const char *text, int64_t *ns)
{
    struct tm tm = {.tm_isdst = -1};
    int64_t fraction;
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    if (!end)
        return -EINVAL;
    end = skip_fraction(end, &fraction);
    bool utc = *end == 'Z';
    if (end[utc])
        return -EINVAL;
    return moment(utc ? timegm(&tm) : mktime(&tm), fraction, ns);
}

/* Computes the time at which a local clock shows `clock`, `days` days after the day of the start. Returns 0 or -EINVAL. */
static int on_day(const struct tm *clock, int days, int64_t fraction, const struct whole *w, int64_t *ns)
{
    struct tm tm;
    time_t start = (time_t)(w->start_ns / NS_PER_S);
    if (!localtime_r(&start, &tm))
        return -EINVAL;
    tm.tm_mday += days;
    tm.tm_hour = clock->tm_hour;
    tm.tm_min = clock->tm_min;
    tm.tm_sec = clock->tm_sec;
    tm.tm_isdst = -1;
    return moment(mktime(&tm), fraction, ns);
}

static int parse_clock(const char *text, const struct whole *w, int64_t *ns)
{
    struct tm clock = {0};
    int64_t fraction, next;
    const char *end = strptime(text, "%H:%M:%S", &clock);
    if (!end) {
        clock = (struct tm){0};
        end = strptime(text, "%H:%M", &clock);
    }
    if (!end || *skip_fraction(end, &fraction))
        return -EINVAL;
    int rc = on_day(&clock, 0, fraction, w, ns);
    if (!rc && *ns < w->start_ns && !on_day(&clock, 1, fraction, w, &next) && next <= w->end_ns)
        *ns = next;
    return rc;
}

static int parse_end(const char *text, const struct whole *w, int64_t *ns)
{
    uint64_t offset;
    if (*text != '+' && *text != '-')
        return strchr(text, 'T') ? parse_absolute(text, ns) : parse_clock(text, w, ns);
    if (units_parse_duration(text + 1, &offset) || offset > INT64_MAX / 4)
        return -EINVAL;
    bool beyond =
        *text == '+' ? __builtin_add_overflow(w->start_ns, (int64_t)offset, ns) : __builtin_sub_overflow(w->end_ns, (int64_t)offset, ns);
    return beyond ? -EINVAL : 0;
}

int time_range_parse(struct time_range *out, const char *text, int64_t start_ns, uint64_t duration_ns)
{
    const struct whole w = {start_ns, (int64_t)((uint64_t)start_ns + duration_ns)};
    const char *dots = strstr(text, "..");
    *out = (struct time_range){INT64_MIN, INT64_MAX};
    if (!dots || !(dots > text || dots[2]))
        return -EINVAL;
    char *from = strndup(text, (size_t)(dots - text));
    int rc = from ? 0 : -ENOMEM;
    if (!rc && *from)
        rc = parse_end(from, &w, &out->from_ns);
    if (!rc && dots[2])
        rc = parse_end(dots + 2, &w, &out->to_ns);
    free(from);
    return rc ? rc : out->from_ns < out->to_ns ? 0 : -EINVAL;
}
