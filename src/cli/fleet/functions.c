/* candor fleet functions: where methods run, the one with most weight first, a row for each service. */
#include "cli/fleet/figures.h"
#include "cli/fleet/fleet.h"

static const struct table_column figures[] = {{"SELF", true},  {"SHARE", true}, {"95 %", true},   {"TOTAL", true},
                                              {"SHARE", true}, {"95 %", true},  {"METHOD", false}};

static void add_row(struct table *t, const struct figures_columns *c, const json_t *group, const char *unit, const char *name)
{
    figures_add_labels(t, c, group);
    figures_add(t, group, "self", unit);
    figures_add(t, group, "total", unit);
    table_add(t, "%s", name);
}

static int print(const struct fleet *f, const json_t *answer)
{
    struct figures_columns columns;
    struct table t;
    size_t i, k;
    json_t *method, *group, *methods = json_object_get(answer, "methods");
    const char *unit = figures_unit(answer);
    figures_make_columns(&columns, json_object_get(answer, "by"), figures, sizeof figures / sizeof *figures);
    table_init(&t, columns.list, columns.count);
    json_array_foreach(methods, i, method) json_array_foreach(json_object_get(method, "groups"), k, group)
        add_row(&t, &columns, group, unit, fleet_text(method, "name"));
    if (!json_array_size(methods))
        fprintf(stderr, "%s: no sample of that time has a method with such a name\n", f->address);
    return fleet_table(&t);
}

static int functions_run(const struct fleet *f)
{
    struct buffer query;
    fleet_begin(f, &query, "/v1/functions");
    fleet_put(&query, "match", f->words[0]);
    figures_put_options(f, &query);
    return fleet_show(f, &query, print);
}

const struct fleet_view fleet_functions = {
    .name = "functions",
    .words = "TEXT",
    .summary = "where methods run, and how much of each service's time they have",
    .options = "by type limit",
    .words_min = 1,
    .words_max = 1,
    .run = functions_run,
};
