#include "cli/fleet/cells.h"

#include "base/text/units.h"
#include "cli/fleet/fleet.h"

#include <string.h>
#include <time.h>

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

void cells_add(struct table *t, const json_t *value, const char *unit)
{
    char text[64];
    double v = json_number_value(value);
    if (!json_is_number(value))
        table_add(t, "%s", "");
    else if (!strcmp(unit, "share"))
        table_add(t, "%.3g %%", 100 * v);
    else if (!strcmp(unit, "s") && v >= 0 && v < 1e9)
        table_add(t, "%s", units_format_duration(text, sizeof text, (uint64_t)(v * 1e9)));
    else if (!strncmp(unit, "bytes", 5) && v >= 0 && v < 1e18)
        table_add(t, "%s%s", units_format_bytes(text, sizeof text, (uint64_t)v), ends_in(unit, "/s") ? "/s" : "");
    else
        table_add(t, "%.4g%s%s", v, ends_in(unit, "/s") ? "" : " ", ends_in(unit, "/s") ? "/s" : unit);
}

void cells_add_time(struct table *t, json_int_t seconds)
{
    char text[32] = "";
    time_t at = (time_t)seconds;
    struct tm utc;
    if (gmtime_r(&at, &utc))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M", &utc);
    table_add(t, "%s", text);
}

void cells_print_without(const struct fleet *f, const json_t *answer)
{
    json_int_t n = json_integer_value(json_object_get(answer, "without_metrics"));
    if (n)
        fprintf(stderr, "%s: %lld recording%s of that time without key metrics: of other formats, or received by an earlier version\n",
                f->address, (long long)n, n == 1 ? " is" : "s are");
}
