/* candor fleet endpoints: whose work it was, the endpoint with most CPU time first, a row for each type of weight. */
#include "cli/fleet/figures.h"
#include "cli/fleet/fleet.h"

#include <string.h>

static const struct table_column figures[] = {{"TYPE", false}, {"WEIGHT", true}, {"SHARE", true}, {"95 %", true}};

static const char *unit_of(const char *type)
{
    const char *colon = strrchr(type, ':');
    return colon ? colon + 1 : "";
}

static void add_row(struct table *t, const struct figures_columns *c, const json_t *group, const json_t *type)
{
    const char *name = fleet_text(type, "type");
    figures_add_labels(t, c, group);
    table_add(t, "%s", name);
    figures_add(t, type, "weight", unit_of(name));
}

static int print(const struct fleet *f, const json_t *answer)
{
    struct figures_columns columns;
    struct table t;
    size_t i, k;
    json_t *group, *type, *groups = json_object_get(answer, "groups");
    json_int_t left_out = json_integer_value(json_object_get(json_object_get(answer, "left_out"), "groups"));
    figures_make_columns(&columns, json_object_get(answer, "by"), figures, sizeof figures / sizeof *figures);
    table_init(&t, columns.list, columns.count);
    json_array_foreach(groups, i, group) json_array_foreach(json_object_get(group, "types"), k, type) add_row(&t, &columns, group, type);
    if (!json_array_size(groups))
        fprintf(stderr, "%s: there are no samples of that time\n", f->address);
    int status = fleet_table(&t);
    if (left_out)
        fprintf(stderr, "%lld more endpoints have less; --limit shows more\n", (long long)left_out);
    return status;
}

static int endpoints_run(const struct fleet *f)
{
    struct buffer query;
    fleet_begin(f, &query, "/v1/endpoints");
    figures_put_options(f, &query);
    return fleet_show(f, &query, print);
}

const struct fleet_view fleet_endpoints = {
    .name = "endpoints",
    .words = "",
    .summary = "how much of each service's CPU time, allocation and so on its endpoints have",
    .options = "by type limit",
    .run = endpoints_run,
};
