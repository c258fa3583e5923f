/* candor fleet metrics: the key metrics of the fleet, or one of them over time. */
#include "cli/fleet/cells.h"
#include "cli/fleet/fleet.h"

#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static const char *value_of(const json_t *series)
{
    return *text_of(series, "value") ? text_of(series, "value") : "-";
}

/* ---- all metrics ---- */

static void add_metric(struct table *t, const json_t *metric, bool by)
{
    size_t i;
    const json_t *series;
    json_array_foreach(json_object_get(metric, "series"), i, series)
    {
        const json_t *points = json_object_get(series, "points");
        table_add(t, "%s", text_of(metric, "name"));
        if (by)
            table_add(t, "%s", value_of(series));
        cells_add(t, json_array_get(json_array_get(points, 0), 1), text_of(metric, "unit"));
        table_add(t, "%s", text_of(metric, "meaning"));
    }
}

static int print_all(const json_t *answer, bool by)
{
    static const struct table_column plain[] = {{"METRIC", false}, {"VALUE", true}, {"MEANING", false}},
                                     split[] = {{"METRIC", false}, {"OF", false}, {"VALUE", true}, {"MEANING", false}};
    struct table t;
    size_t i;
    const json_t *metric;
    table_init(&t, by ? split : plain, by ? 4 : 3);
    json_array_foreach(json_object_get(answer, "metrics"), i, metric)
    {
        add_metric(&t, metric, by);
    }
    return table_end(&t, stdout) ? cli_fail("out of memory") : cli_finish_output();
}

/* ---- one metric ---- */

static int print_one(const json_t *answer, bool by)
{
    static const struct table_column plain[] = {{"TIME", false}, {"VALUE", true}},
                                     split[] = {{"TIME", false}, {"OF", false}, {"VALUE", true}};
    const json_t *metric = json_array_get(json_object_get(answer, "metrics"), 0), *series, *point;
    size_t i, k;
    struct table t;
    table_init(&t, by ? split : plain, by ? 3 : 2);
    json_array_foreach(json_object_get(metric, "series"), i, series)
    {
        json_array_foreach(json_object_get(series, "points"), k, point)
        {
            cells_add_time(&t, json_integer_value(json_array_get(point, 0)));
            if (by)
                table_add(&t, "%s", value_of(series));
            cells_add(&t, json_array_get(point, 1), text_of(metric, "unit"));
        }
    }
    return table_end(&t, stdout) ? cli_fail("out of memory") : cli_finish_output();
}

static int metrics_run(const struct fleet *f)
{
    const char *by = cli_option(f->args, "by"), *step = cli_option(f->args, "step"), *name = f->word_count ? f->words[0] : NULL;
    struct buffer query;
    int status;
    if (step && !name)
        return cli_usage(f->args->command, "--step is for one metric: candor fleet metrics URL NAME");
    fleet_begin(f, &query, "/v1/metrics");
    if (name)
        fleet_put(&query, "metric", name);
    if (by)
        fleet_put(&query, "by", by);
    if (step || !name)
        fleet_put(&query, "step", step ? step : "all");
    json_t *answer = fleet_ask(f, &query, &status);
    if (answer) {
        cells_print_without(f, answer);
        status = name ? print_one(answer, by) : print_all(answer, by);
    }
    json_decref(answer);
    return status;
}

const struct fleet_view fleet_metrics = {
    .name = "metrics",
    .words = "[NAME]",
    .summary = "key metrics, or one of them over time",
    .options = "by step",
    .words_max = 1,
    .run = metrics_run,
};
