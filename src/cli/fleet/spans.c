/* candor fleet spans: the requests that cost most, by their spans. */
#include "base/text/units.h"
#include "cli/fleet/fleet.h"

static const struct table_column columns[] = {{"SERVICE", false}, {"ENDPOINT", false}, {"CPU", true},   {"WALL", true},
                                              {"TIME", true},     {"ALLOCATED", true}, {"SPAN", false}, {"TRACE", false}};

static void add_time(struct table *t, const json_t *span, const char *member)
{
    char text[32];
    table_add(t, "%s", units_format_duration(text, sizeof text, (uint64_t)json_integer_value(json_object_get(span, member))));
}

static void add_row(struct table *t, const json_t *span)
{
    char text[32];
    table_add(t, "%s", fleet_text(span, "service"));
    table_add(t, "%s", fleet_text(span, "endpoint"));
    add_time(t, span, "cpu_ns");
    add_time(t, span, "wall_ns");
    add_time(t, span, "sampled_ns");
    table_add(t, "%s", units_format_bytes(text, sizeof text, (uint64_t)json_integer_value(json_object_get(span, "allocated_bytes"))));
    table_add(t, "%s", fleet_text(span, "span_id"));
    table_add(t, "%s", fleet_text(span, "trace_id"));
}

static int print(const struct fleet *f, const json_t *answer)
{
    struct table t;
    size_t i;
    json_t *span, *spans = json_object_get(answer, "spans");
    table_init(&t, columns, sizeof columns / sizeof *columns);
    json_array_foreach(spans, i, span) add_row(&t, span);
    if (!json_array_size(spans))
        fprintf(stderr, "%s: no sample of that time has a span (docs/context.md)\n", f->address);
    return fleet_table(&t);
}

static int spans_run(const struct fleet *f)
{
    struct buffer query;
    fleet_begin(f, &query, "/v1/spans");
    fleet_put_option(f, &query, "order");
    fleet_put_option(f, &query, "limit");
    return fleet_show(f, &query, print);
}

const struct fleet_view fleet_spans = {
    .name = "spans",
    .words = "",
    .summary = "the requests that cost most, by their spans",
    .options = "order limit",
    .run = spans_run,
};
