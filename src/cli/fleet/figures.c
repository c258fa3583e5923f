#include "cli/fleet/figures.h"

#include "base/text/units.h"

#include <string.h>

void figures_put_options(const struct fleet *f, struct buffer *query)
{
    static const char *const names[] = {"by", "type", "limit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cli_option(f->args, names[i]))
            fleet_put(query, names[i], cli_option(f->args, names[i]));
}

const char *figures_unit(const json_t *answer)
{
    const char *type = json_string_value(json_object_get(answer, "type")), *colon = type ? strrchr(type, ':') : NULL;
    return colon ? colon + 1 : "";
}

static double number(const json_t *row, const char *name, const char *part)
{
    char key[64];
    snprintf(key, sizeof key, "%s_%s", name, part);
    return json_number_value(json_object_get(row, key));
}

static void add_weight(struct table *t, uint64_t weight, const char *unit)
{
    char text[32];
    if (!strcmp(unit, "ns"))
        table_add(t, "%s", units_format_duration(text, sizeof text, weight));
    else if (!strcmp(unit, "bytes"))
        table_add(t, "%s", units_format_bytes(text, sizeof text, weight));
    else
        table_add(t, "%llu", (unsigned long long)weight);
}

void figures_add(struct table *t, const json_t *row, const char *name, const char *unit)
{
    add_weight(t, (uint64_t)json_integer_value(json_object_get(row, name)), unit);
    table_add(t, "%.2f %%", 100 * number(row, name, "share"));
    table_add(t, "[%.2f..%.2f]", 100 * number(row, name, "low"), 100 * number(row, name, "high"));
}
