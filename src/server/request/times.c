#include "server/request/times.h"

#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

static int parse_number(const char *text, int64_t *ns)
{
    double seconds;
    if (number_parse_real(text, -9e9, 9e9, &seconds))
        return -EINVAL;
    int64_t whole = (int64_t)floor(seconds);
    *ns = whole * NS_PER_S + (int64_t)((seconds - (double)whole) * NS_PER_S);
    return 0;
}

static int two_digits(const char *s)
{
    return isdigit((unsigned char)s[0]) && isdigit((unsigned char)s[1]) ? (s[0] - '0') * 10 + s[1] - '0' : -1;
}

/* Reads, for example, "2026-11-22T16:41:00.5Z" or "...+01:00". */
static int parse_rfc3339(const char *text, int64_t *ns)
{
    struct tm tm = {0};
    double fraction = 0;
    int hours, minutes;
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    if (!rest)
        return -EINVAL;
    if (*rest == '.')
        number_take_real(&rest, 0, 1, &fraction);
    int64_t seconds = timegm(&tm);
    if ((*rest == '+' || *rest == '-') && strlen(rest) == 6 && rest[3] == ':') {
        hours = two_digits(rest + 1);
        minutes = two_digits(rest + 4);
        if (hours < 0 || minutes < 0)
            return -EINVAL;
        seconds -= (*rest == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    } else if (strcmp(rest, "Z") && strcmp(rest, "z")) {
        return -EINVAL;
    }
    *ns = seconds * NS_PER_S + (int64_t)(fraction * NS_PER_S);
    return 0;
}

int times_parse(const char *text, int64_t now_ns, int64_t *ns)
{
    uint64_t back;
    if (!strcmp(text, "now")) {
        *ns = now_ns;
        return 0;
    }
    if (*text == '-' && !units_parse_duration(text + 1, &back) && back < (uint64_t)now_ns) {
        *ns = now_ns - (int64_t)back;
        return 0;
    }
    return strchr(text, 'T') ? parse_rfc3339(text, ns) : parse_number(text, ns);
}

int times_parse_step(const char *text, int64_t *seconds)
{
    int64_t ns;
    uint64_t duration;
    if (units_parse_duration(text, &duration)) {
        if (parse_number(text, &ns) || ns <= 0)
            return -EINVAL;
        duration = (uint64_t)ns;
    }
    *seconds = (int64_t)(duration / NS_PER_S);
    return *seconds < 1 ? -EINVAL : 0;
}
