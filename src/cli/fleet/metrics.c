/* candor fleet metrics: the key metrics of the fleet, or one of them over time. */
#include "cli/fleet/cells.h"
#include "cli/fleet/fleet.h"

#include <string.h>

static const char *value_of(const json_t *series)
{
    return *fleet_text(series, "value") ? fleet_text(series, "value") : "-";
}

/* ---- all metrics ---- */

static void add_metric(struct table *t, const json_t *metric, bool by)
{
    size_t i;
    const json_t *series;
    json_array_foreach(json_object_get(metric, "series"), i, series)
    {
        const json_t *points = json_object_get(series, "points");
        table_add(t, "%s", fleet_text(metric, "name"));
        if (by)
            table_add(t, "%s", value_of(series));
        cells_add(t, json_array_get(json_array_get(points, 0), 1), fleet_text(metric, "unit"));
        table_add(t, "%s", fleet_text(metric, "meaning"));
    }
}

static int print_all(const struct fleet *f, const json_t *answer)
{
    static const struct table_column plain[] = {{"METRIC", false}, {"VALUE", true}, {"MEANING", false}},
                                     split[] = {{"METRIC", false}, {"OF", false}, {"VALUE", true}, {"MEANING", false}};
    bool by = cli_option(f->args, "by");
    struct table t;
    size_t i;
    const json_t *metric;
    cells_print_without(f, answer);
    table_init(&t, by ? split : plain, by ? 4 : 3);
    json_array_foreach(json_object_get(answer, "metrics"), i, metric)
    {
        add_metric(&t, metric, by);
    }
    return fleet_table(&t);
}

/* ---- one metric ---- */

static int print_one(const struct fleet *f, const json_t *answer)
{
    static const struct table_column plain[] = {{"TIME", false}, {"VALUE", true}},
                                     split[] = {{"TIME", false}, {"OF", false}, {"VALUE", true}};
    const json_t *metric = json_array_get(json_object_get(answer, "metrics"), 0), *series, *point;
    bool by = cli_option(f->args, "by");
    size_t i, k;
    struct table t;
    cells_print_without(f, answer);
    table_init(&t, by ? split : plain, by ? 3 : 2);
    json_array_foreach(json_object_get(metric, "series"), i, series)
    {
        json_array_foreach(json_object_get(series, "points"), k, point)
        {
            cells_add_time(&t, json_integer_value(json_array_get(point, 0)));
            if (by)
                table_add(&t, "%s", value_of(series));
            cells_add(&t, json_array_get(point, 1), fleet_text(metric, "unit"));
        }
    }
    return fleet_table(&t);
}

static int metrics_run(const struct fleet *f)
{
    const char *step = cli_option(f->args, "step"), *name = f->word_count ? f->words[0] : NULL;
    struct buffer query;
    if (step && !name)
        return cli_usage(f->args->command, "--step is for one metric: candor fleet metrics URL NAME");
    fleet_begin(f, &query, "/v1/metrics");
    if (name)
        fleet_put(&query, "metric", name);
    fleet_put_option(f, &query, "by");
    if (step || !name)
        fleet_put(&query, "step", step ? step : "all");
    return fleet_show(f, &query, name ? print_one : print_all);
}

const struct fleet_view fleet_metrics = {
    .name = "metrics",
    .words = "[NAME]",
    .summary = "key metrics, or one of them over time",
    .options = "by step",
    .words_max = 1,
    .run = metrics_run,
};
