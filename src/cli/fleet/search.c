/* candor fleet search: the minutes of JVMs that satisfy a condition on their key metrics. */
#include "base/buffer.h"
#include "cli/fleet/cells.h"
#include "cli/fleet/fleet.h"

#include <string.h>

static const struct table_column columns[] = {
    {"MINUTE", false}, {"VALUE", true}, {"RECORDING", true}, {"SERVICE", false}, {"HOST", false}, {"LABELS", false},
};

/* Adds the labels that have no column of their own: "version=1 zone=a". */
static void add_labels(struct table *t, json_t *hit)
{
    enum { LABELS_BYTES = 4000 };
    struct buffer text;
    const char *name;
    json_t *value;
    buffer_init(&text, LABELS_BYTES);
    json_object_foreach(json_object_get(hit, "labels"), name, value)
    {
        if (strcmp(name, "service") != 0 && strcmp(name, "host") != 0)
            buffer_printf(&text, "%s%s=%s", text.len ? " " : "", name, json_string_value(value));
    }
    buffer_u8(&text, 0);
    table_add(t, "%s", text.failed ? "..." : (const char *)text.data);
    buffer_deinit(&text);
}

static void add_hit(struct table *t, json_t *hit, const char *unit)
{
    cells_add_time(t, json_integer_value(json_object_get(hit, "minute")));
    cells_add(t, json_object_get(hit, "value"), unit);
    json_int_t recording = json_integer_value(json_object_get(hit, "recording"));
    table_add(t, recording ? "%lld" : "", (long long)recording);
    table_add(t, "%s", fleet_text(json_object_get(hit, "labels"), "service"));
    table_add(t, "%s", fleet_text(json_object_get(hit, "labels"), "host"));
    add_labels(t, hit);
}

static int print(const struct fleet *f, const json_t *answer)
{
    struct table t;
    size_t i;
    json_t *hit;
    cells_print_without(f, answer);
    table_init(&t, columns, sizeof columns / sizeof *columns);
    json_array_foreach(json_object_get(answer, "hits"), i, hit)
    {
        add_hit(&t, hit, fleet_text(answer, "unit"));
    }
    if (!i)
        fprintf(stderr, "%s has no such minutes\n", f->address);
    return fleet_table(&t);
}

static int search_run(const struct fleet *f)
{
    struct buffer query;
    fleet_begin(f, &query, "/v1/search");
    fleet_put(&query, "where", f->words[0]);
    fleet_put_option(f, &query, "order");
    fleet_put_option(f, &query, "limit");
    return fleet_show(f, &query, print);
}

const struct fleet_view fleet_search = {
    .name = "search",
    .words = "CONDITION",
    .summary = "minutes of JVMs with such key metrics, those with the largest value first",
    .options = "order limit",
    .words_min = 1,
    .words_max = 1,
    .run = search_run,
};
