/* candor fleet top: the hottest own methods of each service, and those that have changed. */
#include "cli/fleet/figures.h"
#include "cli/fleet/fleet.h"

#include <string.h>

static void print_hottest(struct table *t, const struct figures_columns *c, const json_t *group, const char *unit)
{
    size_t i;
    json_t *method, *cores = json_object_get(group, "cores");
    json_array_foreach(json_object_get(group, "methods"), i, method)
    {
        figures_add_labels(t, c, group);
        if (json_is_number(cores))
            table_add(t, "%.3g", json_number_value(cores));
        else
            table_add(t, "%s", "");
        figures_add(t, method, "own", unit);
        figures_add_share(t, method, "total");
        table_add(t, "%s", fleet_text(method, "name"));
    }
}

static void add_percent(struct table *t, double share)
{
    table_add(t, "%.2f %%", 100 * share);
}

/* Names the method, and the one to which its cost went or from which it came. */
static void add_mover(struct table *t, const json_t *mover, const json_t *figure)
{
    const char *from = fleet_text(figure, "from"), *to = fleet_text(figure, "to");
    if (*from || *to)
        table_add(t, "%s (moved %s %s)", fleet_text(mover, "name"), *from ? "from" : "to", *from ? from : to);
    else
        table_add(t, "%s", fleet_text(mover, "name"));
}

static void print_movers(struct table *t, const struct figures_columns *c, const json_t *group, bool *any)
{
    size_t i;
    json_t *mover;
    json_array_foreach(json_object_get(group, "movers"), i, mover)
    {
        const json_t *own = json_object_get(mover, "own");
        bool by_own = strcmp(fleet_text(own, "verdict"), "not sure") != 0;
        const json_t *f = by_own ? own : json_object_get(mover, "total");
        figures_add_labels(t, c, group);
        table_add(t, "%s", by_own ? "own" : "total");
        add_percent(t, json_number_value(json_object_get(f, "before")));
        add_percent(t, json_number_value(json_object_get(f, "after")));
        table_add(t, "[%+.2f..%+.2f]", 100 * json_number_value(json_object_get(f, "low")),
                  100 * json_number_value(json_object_get(f, "high")));
        add_mover(t, mover, f);
        *any = true;
    }
}

static int print(const struct fleet *f, const json_t *answer)
{
    static const struct table_column hottest[] = {{"CORES", true}, {"OWN", true},   {"SHARE", true},
                                                  {"95 %", true},  {"TOTAL", true}, {"METHOD", false}};
    static const struct table_column moved[] = {
        {"SHARE", false}, {"BEFORE", true}, {"NOW", true}, {"95 % OF CHANGE", true}, {"METHOD", false}};
    struct figures_columns columns;
    struct table t;
    size_t i;
    bool any = false;
    json_t *group, *by = json_object_get(answer, "by"), *groups = json_object_get(answer, "groups");
    figures_make_columns(&columns, by, hottest, sizeof hottest / sizeof *hottest);
    table_init(&t, columns.list, columns.count);
    json_array_foreach(groups, i, group) print_hottest(&t, &columns, group, figures_unit(answer));
    int rc = table_end(&t, stdout);
    figures_make_columns(&columns, by, moved, sizeof moved / sizeof *moved);
    table_init(&t, columns.list, columns.count);
    json_array_foreach(groups, i, group) print_movers(&t, &columns, group, &any);
    if (any)
        fputs("\n", stdout);
    if (any)
        rc = rc ? rc : table_end(&t, stdout);
    buffer_deinit(&t.text);
    if (!json_array_size(groups))
        fprintf(stderr, "%s has no samples of that time\n", f->address);
    return rc ? cli_fail("out of memory") : cli_finish_output();
}

static int top_run(const struct fleet *f)
{
    struct buffer query;
    fleet_begin(f, &query, "/v1/top");
    figures_put_options(f, &query);
    if (!cli_option(f->args, "limit"))
        fleet_put(&query, "limit", "3");
    fleet_put_option(f, &query, "against");
    return fleet_show(f, &query, print);
}

const struct fleet_view fleet_top = {
    .name = "top",
    .words = "",
    .summary = "each service's hottest own methods, and which have changed",
    .options = "by type limit against",
    .run = top_run,
};
