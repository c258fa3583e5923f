#include "cli/fleet/figures.h"

#include "base/text/units.h"

#include <ctype.h>
#include <string.h>

void figures_put_options(const struct fleet *f, struct buffer *query)
{
    static const char *const names[] = {"by", "type", "limit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fleet_put_option(f, query, names[i]);
}

const char *figures_unit(const json_t *answer)
{
    const char *type = json_string_value(json_object_get(answer, "type")), *colon = type ? strrchr(type, ':') : NULL;
    return colon ? colon + 1 : "";
}

void figures_make_columns(struct figures_columns *c, const json_t *by, const struct table_column *others, unsigned count)
{
    *c = (struct figures_columns){0};
    for (size_t i = 0; i < json_array_size(by) && i < FIGURES_LABELS_MAX; i++) {
        char *title = c->titles[i];
        c->labels[i] = json_string_value(json_array_get(by, i));
        snprintf(title, FIGURES_TITLE_MAX, "%s", c->labels[i] ? c->labels[i] : "");
        for (; *title; title++)
            *title = (char)toupper((unsigned char)*title);
        c->list[c->count++] = (struct table_column){c->titles[i], false};
    }
    c->label_count = c->count;
    for (unsigned i = 0; i < count; i++)
        c->list[c->count++] = others[i];
}

void figures_add_labels(struct table *t, const struct figures_columns *c, const json_t *group)
{
    for (unsigned i = 0; i < c->label_count; i++) {
        const char *value = json_string_value(json_object_get(json_object_get(group, "labels"), c->labels[i]));
        table_add(t, "%s", value ? value : "");
    }
}

static double number(const json_t *row, const char *name, const char *part)
{
    char key[64];
    snprintf(key, sizeof key, "%s_%s", name, part);
    return json_number_value(json_object_get(row, key));
}

char *figures_weight(char *out, size_t size, uint64_t weight, const char *unit)
{
    if (!strcmp(unit, "ns"))
        return units_format_duration(out, size, weight);
    if (!strcmp(unit, "bytes"))
        return units_format_bytes(out, size, weight);
    snprintf(out, size, "%llu", (unsigned long long)weight);
    return out;
}

void figures_add_share(struct table *t, const json_t *row, const char *name)
{
    table_add(t, "%.2f %%", 100 * number(row, name, "share"));
}

void figures_add(struct table *t, const json_t *row, const char *name, const char *unit)
{
    char text[32];
    table_add(t, "%s", figures_weight(text, sizeof text, (uint64_t)json_integer_value(json_object_get(row, name)), unit));
    figures_add_share(t, row, name);
    table_add(t, "[%.2f..%.2f]", 100 * number(row, name, "low"), 100 * number(row, name, "high"));
}
