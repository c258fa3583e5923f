/* candor fleet endpoints: whose work it was, the endpoint with most CPU time first, a row for each type of weight; and the cost of a
 * request, if requests are counted. */
#include "cli/fleet/figures.h"
#include "cli/fleet/fleet.h"

#include <math.h>
#include <string.h>

/* The last two columns: if the cost of a request is known. */
static const struct table_column figures[] = {{"TYPE", false}, {"WEIGHT", true},    {"SHARE", true},
                                              {"95 %", true},  {"A REQUEST", true}, {"95 % ", true}};
enum { FIGURES = sizeof figures / sizeof *figures, COST_FIGURES = 2 };

static const char *unit_of(const char *type)
{
    const char *colon = strrchr(type, ':');
    return colon ? colon + 1 : "";
}

static bool has_cost(const json_t *groups)
{
    size_t i, k;
    json_t *group, *type;
    bool has = false;
    json_array_foreach(groups, i, group) json_array_foreach(json_object_get(group, "types"), k, type) has |=
        json_object_get(type, "per_request") != NULL;
    return has;
}

static char *amount(char out[32], const json_t *cost, const char *name, const char *unit)
{
    return figures_weight(out, 32, (uint64_t)llround(json_number_value(json_object_get(cost, name))), unit);
}

static void add_cost(struct table *t, const json_t *cost, const char *unit)
{
    char value[32], low[32], high[32];
    table_add(t, "%s", cost ? amount(value, cost, "value", unit) : "");
    if (cost)
        table_add(t, "[%s..%s]", amount(low, cost, "low", unit), amount(high, cost, "high", unit));
    else
        table_add(t, "-");
}

static void add_row(struct table *t, const struct figures_columns *c, const json_t *group, const json_t *type, bool costs)
{
    const char *name = fleet_text(type, "type");
    figures_add_labels(t, c, group);
    table_add(t, "%s", name);
    figures_add(t, type, "weight", unit_of(name));
    if (costs)
        add_cost(t, json_object_get(type, "per_request"), unit_of(name));
}

static int print(const struct fleet *f, const json_t *answer)
{
    struct figures_columns columns;
    struct table t;
    size_t i, k;
    json_t *group, *type, *groups = json_object_get(answer, "groups");
    bool costs = has_cost(groups);
    json_int_t left_out = json_integer_value(json_object_get(json_object_get(answer, "left_out"), "groups"));
    figures_make_columns(&columns, json_object_get(answer, "by"), figures, costs ? FIGURES : FIGURES - COST_FIGURES);
    table_init(&t, columns.list, columns.count);
    json_array_foreach(groups, i, group) json_array_foreach(json_object_get(group, "types"), k, type)
        add_row(&t, &columns, group, type, costs);
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
