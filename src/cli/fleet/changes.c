/* candor fleet changes: what changed in a service, and how sure that is. */
#include "cli/fleet/fleet.h"
#include "cli/fleet/table.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct table_column columns[] = {
    {"CHANGE", true}, {"+-", true},       {"BEFORE", true}, {"AFTER", true},
    {"LEAST", true},  {"VERDICT", false}, {"OF", false},    {"METHOD", false},
};

static const char *text(const json_t *of, const char *name)
{
    const char *value = json_string_value(json_object_get(of, name));
    return value ? value : "";
}

static double number(const json_t *of, const char *name)
{
    return json_number_value(json_object_get(of, name));
}

/* The interval is not symmetric: the larger half is shown. */
static double half_of(const json_t *row)
{
    double change = number(row, "change"), down = change - number(row, "low"), up = number(row, "high") - change;
    return down > up ? down : up;
}

static void add_method(struct table *t, const json_t *row)
{
    const char *from = text(row, "from"), *to = text(row, "to");
    char line[32] = "";
    if (json_is_integer(json_object_get(row, "line")))
        snprintf(line, sizeof line, ":%lld", (long long)json_integer_value(json_object_get(row, "line")));
    if (*from || *to)
        table_add(t, "%s%s (moved %s %s)", text(row, "method"), line, *from ? "from" : "to", *from ? from : to);
    else
        table_add(t, "%s%s", text(row, "method"), line);
}

static void add_row(struct table *t, const json_t *row)
{
    if (json_is_number(json_object_get(row, "change"))) {
        table_add(t, "%+.3f", 100 * number(row, "change"));
        table_add(t, "%.3f", 100 * half_of(row));
    } else { /* nothing is compared */
        table_add(t, "-");
        table_add(t, "-");
    }
    table_add(t, "%.3f", 100 * number(row, "before"));
    table_add(t, "%.3f", 100 * number(row, "after"));
    if (json_is_number(json_object_get(row, "detectable")))
        table_add(t, "%.3f", 100 * number(row, "detectable"));
    else
        table_add(t, "-");
    table_add(t, "%s", text(row, "verdict"));
    table_add(t, "%s", text(row, "figure"));
    add_method(t, row);
}

/* Whether to show a row: a change of self time, of a line, or of a total whose cause is in no single method that it calls. */
static bool is_shown(const json_t *row, bool all)
{
    bool total = !strcmp(text(row, "figure"), "total");
    return all || (total ? json_is_true(json_object_get(row, "innermost")) : strcmp(text(row, "verdict"), "not sure") != 0);
}

static void print_side(const char *title, const json_t *side, const char *by)
{
    char from[32] = "", to[32] = "";
    time_t begin = (time_t)json_integer_value(json_object_get(side, "from")), end = (time_t)json_integer_value(json_object_get(side, "to"));
    struct tm tm;
    if (gmtime_r(&begin, &tm))
        strftime(from, sizeof from, "%Y-%m-%dT%H:%M:%SZ", &tm);
    if (gmtime_r(&end, &tm))
        strftime(to, sizeof to, "%Y-%m-%dT%H:%M:%SZ", &tm);
    printf("%s  ", title);
    if (*by)
        printf("%s %s, ", by, text(side, "value"));
    else if (*text(side, "select"))
        printf("%s, ", text(side, "select"));
    printf("%s to %s, hosts: %lld, recordings: %lld, per second: %.4g\n", from, to,
           (long long)json_integer_value(json_object_get(side, "hosts")),
           (long long)json_integer_value(json_object_get(side, "recordings")), number(side, "per_second"));
}

static void print_head(const json_t *answer)
{
    const char *design = text(answer, "design"), *by = text(answer, "by");
    size_t left_out = json_array_size(json_object_get(answer, "left_out"));
    print_side("Before", json_object_get(answer, "before"), by);
    print_side("After ", json_object_get(answer, "after"), by);
    if (left_out)
        printf("%zu hosts are on one side only, and are left out\n", left_out);
    printf("Compared  %s; shares are %% of %s; about %.3g %% of the listed changes may be false alarms\n\n",
           !strcmp(design, "paired")  ? "each host with itself"
           : !strcmp(design, "apart") ? "the hosts of one side with those of the other"
           : !strcmp(design, "alone") ? "one host with itself, by blocks of time"
                                      : "nothing",
           text(answer, "type"), 100 * number(answer, "level"));
}

static int print(const struct fleet *f, const json_t *answer)
{
    struct table t;
    const json_t *rows = json_object_get(answer, "changes");
    bool all = cli_switch(f->args, "all");
    size_t shown = 0, n = json_array_size(rows);
    long long tests = json_integer_value(json_object_get(answer, "tests")), sure = json_integer_value(json_object_get(answer, "sure"));
    print_head(answer);
    table_init(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(rows, i);
        if (!is_shown(row, all))
            continue;
        add_row(&t, row);
        shown++;
    }
    if (table_end(&t, stdout))
        return cli_fail("out of memory");
    if (*text(answer, "reason"))
        printf("not sure: %s\n", text(answer, "reason"));
    else if (!all)
        printf("not shown: %lld figures are not sure, and %lld totals changed only by what is shown; --all shows them\n", tests - sure,
               sure - (long long)shown);
    return cli_finish_output();
}

static int changes_run(const struct fleet *f)
{
    static const char *const options[] = {"type", "before", "after", "by", "split"};
    struct buffer query;
    int status;
    fleet_begin(f, &query, "/v1/changes");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (cli_option(f->args, options[i]))
            fleet_put(&query, options[i], cli_option(f->args, options[i]));
    if (cli_switch(f->args, "all"))
        fleet_put(&query, "all", "1");
    fleet_put(&query, "limit", "100000");
    json_t *answer = fleet_ask(f, &query, &status);
    if (answer)
        status = print(f, answer);
    json_decref(answer);
    return status;
}

const struct fleet_view fleet_changes = {
    .name = "changes",
    .words = "",
    .summary = "what changed in a service, from version to version or from time to time, and how sure that is",
    .options = "type before after by split all",
    .run = changes_run,
};
