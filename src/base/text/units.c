#include "base/text/units.h"

#include "base/text/number.h"
#include "base/time_units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct unit {
    const char *name;
    double ns;
} units[] = {
    {"ns", 1},       {"us", NS_PER_US},    {"\u00b5s", NS_PER_US}, {"\u03bcs", NS_PER_US},  {"ms", NS_PER_MS},
    {"s", NS_PER_S}, {"m", 60 * NS_PER_S}, {"h", 3600 * NS_PER_S}, {"d", 86400 * NS_PER_S},
};

/* Skips blanks between a number and its unit, as in "100 us". units_format_duration writes them, and so do people. */
static const char *behind_blanks(const char *text)
{
    return text + strspn(text, " ");
}

int units_parse_duration(const char *text, uint64_t *ns)
{
    const char *end = text;
    double value;
    if (text[0] < '0' || text[0] > '9' || number_take_real(&end, 0, INFINITY, &value))
        return -EINVAL;
    if (value == 0 && !*end) {
        *ns = 0;
        return 0;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(behind_blanks(end), units[i].name)) {
            double total = value * units[i].ns;
            if (!(total < 9e18))
                return -EINVAL;
            *ns = (uint64_t)(total + 0.5);
            return 0;
        }
    return -EINVAL;
}

int units_parse_seconds(const char *text, uint64_t *ns)
{
    char with_unit[64];
    int n = snprintf(with_unit, sizeof with_unit, "%ss", text);
    bool plain = n > 1 && n < (int)sizeof with_unit && text[strspn(text, "0123456789.")] == 0;
    return units_parse_duration(plain ? with_unit : text, ns);
}

int units_parse_rate(const char *text, uint64_t *per_second)
{
    bool good = !number_take(&text, 10, 1, UINT64_MAX, per_second) && (!*text || !strcmp(behind_blanks(text), "/s"));
    return good ? 0 : -EINVAL;
}

int units_parse_percent(const char *text, double *share)
{
    double percent;
    if (text[0] < '0' || text[0] > '9' || number_take_real(&text, 0, 100, &percent) || percent == 0)
        return -EINVAL;
    *share = percent / 100;
    return !*text || !strcmp(behind_blanks(text), "%") ? 0 : -EINVAL;
}

int units_parse_size(const char *text, uint64_t *bytes)
{
    static const char prefixes[] = "KMGT";
    uint64_t value;
    if (number_take(&text, 10, 0, UINT64_MAX, &value))
        return -EINVAL;
    const char *unit = behind_blanks(text);
    const char *prefix = *unit ? strchr(prefixes, toupper((unsigned char)*unit)) : NULL;
    const char *rest = prefix ? unit + 1 : unit;
    if (*rest && strcmp(rest, "B") && (!prefix || strcmp(rest, "iB")))
        return -EINVAL;
    for (; prefix && prefix >= prefixes; prefix--)
        if (__builtin_mul_overflow(value, 1024u, &value))
            return -EINVAL;
    *bytes = value;
    return 0;
}

char *units_format_duration(char *out, size_t size, uint64_t ns)
{
    const char *name = "ns";
    double value = (double)ns;
    if (ns >= NS_PER_S)
        name = "s", value /= NS_PER_S;
    else if (ns >= NS_PER_MS)
        name = "ms", value /= NS_PER_MS;
    else if (ns >= NS_PER_US)
        name = "us", value /= NS_PER_US;
    int decimals = value >= 100 || ns < NS_PER_US ? 0 : value >= 10 ? 1 : 2;
    snprintf(out, size, "%.*f %s", decimals, value, name);
    return out;
}

char *units_format_bytes(char *out, size_t size, uint64_t bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof names / sizeof *names; unit++)
        value /= 1024;
    int decimals = value >= 100 || !unit ? 0 : value >= 10 ? 1 : 2;
    snprintf(out, size, "%.*f %s", decimals, value, names[unit]);
    return out;
}

static uint64_t clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t clock_realtime_ns(void)
{
    return clock_ns(CLOCK_REALTIME);
}
