/* candor fleet changes: what changed in a service, and how sure that is. */
#include "cli/fleet/fleet.h"
#include "cli/gate.h"

#include <string.h>

static const struct table_column columns[] = {
    {"CHANGE", true}, {"+-", true},       {"BEFORE", true}, {"AFTER", true},
    {"LEAST", true},  {"VERDICT", false}, {"OF", false},    {"METHOD", false},
};

/* If the number of requests is known. */
static const struct table_column columns_of_requests[] = {
    {"CHANGE", true},   {"+-", true},  {"BEFORE", true},         {"AFTER", true},         {"LEAST", true},
    {"VERDICT", false}, {"OF", false}, {"BEFORE/REQUEST", true}, {"AFTER/REQUEST", true}, {"METHOD", false},
};

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
    const char *from = fleet_text(row, "from"), *to = fleet_text(row, "to");
    char line[32] = "";
    if (json_is_integer(json_object_get(row, "line")))
        snprintf(line, sizeof line, ":%lld", (long long)json_integer_value(json_object_get(row, "line")));
    if (*from || *to)
        table_add(t, "%s%s (moved %s %s)", fleet_text(row, "method"), line, *from ? "from" : "to", *from ? from : to);
    else
        table_add(t, "%s%s", fleet_text(row, "method"), line);
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
    table_add(t, "%s", fleet_text(row, "verdict"));
    table_add(t, "%s", fleet_text(row, "figure"));
    if (json_object_get(row, "after_per_request")) {
        table_add(t, "%.3g", number(row, "before_per_request"));
        table_add(t, "%.3g", number(row, "after_per_request"));
    }
    add_method(t, row);
}

/* Whether to show a row: a change of self time, of a line, or of a total whose cause is in no single method that it calls. */
static bool is_shown(const json_t *row, bool all)
{
    bool total = !strcmp(fleet_text(row, "figure"), "total");
    return all || (total ? json_is_true(json_object_get(row, "innermost")) : strcmp(fleet_text(row, "verdict"), "not sure") != 0);
}

static void print_side(const char *title, const json_t *side, const char *by)
{
    char from[FLEET_TIME_MAX], to[FLEET_TIME_MAX];
    printf("%s  ", title);
    if (*by)
        printf("%s %s, ", by, fleet_text(side, "value"));
    else if (*fleet_text(side, "select"))
        printf("%s, ", fleet_text(side, "select"));
    printf("%s to %s, hosts: %lld, recordings: %lld, per second: %.4g", fleet_time(from, json_integer_value(json_object_get(side, "from"))),
           fleet_time(to, json_integer_value(json_object_get(side, "to"))), (long long)json_integer_value(json_object_get(side, "hosts")),
           (long long)json_integer_value(json_object_get(side, "recordings")), number(side, "per_second"));
    if (json_object_get(side, "per_request"))
        printf(", per request: %.4g", number(side, "per_request"));
    printf("\n");
}

static void print_requests(const json_t *of)
{
    const json_t *before = json_object_get(of, "before"), *after = json_object_get(of, "after"), *ratio = json_object_get(of, "ratio");
    if (!ratio)
        return;
    printf("A request  %.4g [%.4g..%.4g] before, %.4g [%.4g..%.4g] after: %+.2f %% [%+.2f..%+.2f]; counted by the spans of %lld and %lld "
           "hosts\n",
           number(before, "value"), number(before, "low"), number(before, "high"), number(after, "value"), number(after, "low"),
           number(after, "high"), 100 * (number(ratio, "value") - 1), 100 * (number(ratio, "low") - 1), 100 * (number(ratio, "high") - 1),
           (long long)json_integer_value(json_object_get(before, "hosts")), (long long)json_integer_value(json_object_get(after, "hosts")));
}

static void print_head(const json_t *answer)
{
    const char *design = fleet_text(answer, "design"), *by = fleet_text(answer, "by");
    size_t left_out = json_array_size(json_object_get(answer, "left_out"));
    print_side("Before", json_object_get(answer, "before"), by);
    print_side("After ", json_object_get(answer, "after"), by);
    print_requests(json_object_get(answer, "requests"));
    if (left_out)
        printf("%zu hosts are on one side only, and are left out\n", left_out);
    printf("Compared  %s; shares are %% of %s; about %.3g %% of the listed changes may be false alarms\n\n",
           !strcmp(design, "paired")  ? "each host with itself"
           : !strcmp(design, "apart") ? "the hosts of one side with those of the other"
           : !strcmp(design, "alone") ? "one host with itself, by blocks of time"
                                      : "nothing",
           fleet_text(answer, "type"), 100 * number(answer, "level"));
}

/* ---- causes ---- */

enum { CAUSES_SHOWN = 3 };

static void add_cause(struct table *t, const json_t *row, const json_t *cause, const char *what, const char *name)
{
    table_add(t, "%s", fleet_text(row, "method"));
    table_add(t, "%s", fleet_text(row, "figure"));
    table_add(t, "%+.3f", 100 * number(cause, "change"));
    table_add(t, "%s %s", what, name);
}

static void add_causes(struct table *t, const json_t *row, const char *list, const char *what, const char *member)
{
    size_t i;
    const json_t *causes = json_object_get(row, list), *cause;
    json_array_foreach(causes, i, cause) if (i < CAUSES_SHOWN && number(cause, "change") != 0)
        add_cause(t, row, cause, what, fleet_text(cause, member));
}

/* Prints where the changes that are sure come from, the largest part of each first. */
static int print_causes(const struct fleet *f, const json_t *rows)
{
    static const struct table_column titles[] = {{"METHOD", false}, {"OF", false}, {"CHANGE", true}, {"BY", false}};
    const char *split = cli_option(f->args, "split");
    struct table t;
    size_t i;
    json_t *row;
    table_init(&t, titles, sizeof titles / sizeof *titles);
    json_array_foreach(rows, i, row)
    {
        const char *verdict = fleet_text(row, "verdict");
        if (!strcmp(verdict, "not sure") || !strcmp(verdict, "moved") || !is_shown(row, false) ||
            !strcmp(fleet_text(row, "figure"), "line"))
            continue;
        add_causes(&t, row, "callers", "the caller", "method");
        if (split)
            add_causes(&t, row, "values", split, "value");
    }
    if (!t.cells) {
        buffer_deinit(&t.text);
        return CLI_OK;
    }
    printf("\n");
    return table_end(&t, stdout) ? cli_fail("out of memory") : CLI_OK;
}

static int print(const struct fleet *f, const json_t *answer)
{
    struct table t;
    const json_t *rows = json_object_get(answer, "changes");
    bool all = cli_switch(f->args, "all");
    size_t shown = 0, n = json_array_size(rows);
    long long tests = json_integer_value(json_object_get(answer, "tests")), sure = json_integer_value(json_object_get(answer, "sure"));
    print_head(answer);
    if (json_object_get(json_object_get(answer, "after"), "per_request")) /* an earlier server has no "requests" */
        table_init(&t, columns_of_requests, sizeof columns_of_requests / sizeof *columns_of_requests);
    else
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
    if (*fleet_text(answer, "reason"))
        printf("not sure: %s\n", fleet_text(answer, "reason"));
    else if (!all)
        printf("not shown: %lld figures are not sure, and %lld totals changed only by what is shown; --all shows them\n", tests - sure,
               sure - (long long)shown);
    int status = *fleet_text(answer, "reason") ? CLI_OK : print_causes(f, rows);
    return status ? status : cli_finish_output();
}

/* ---- the gate ---- */

static bool has_grown(const json_t *row)
{
    const char *verdict = fleet_text(row, "verdict");
    return strcmp(fleet_text(row, "figure"), "line") != 0 && (!strcmp(verdict, "new") || !strcmp(verdict, "dearer"));
}

/* Notes each method once: with its own time, or its total, whichever has grown more. */
static int check_methods(const json_t *rows, double threshold)
{
    struct gate g = {.threshold = threshold};
    json_t *most = json_object(), *row, *low;
    const char *method;
    size_t i;
    json_array_foreach(rows, i, row) if (has_grown(row) && number(row, "low") > number(most, fleet_text(row, "method")))
        json_object_set(most, fleet_text(row, "method"), json_object_get(row, "low"));
    json_object_foreach(most, method, low) gate_note(&g, method, json_number_value(low));
    json_decref(most);
    return gate_end(&g, "points", "");
}

/* A version that cannot be compared, or not with all its samples, does not pass. */
static int check_gate(const struct fleet *f, const json_t *answer)
{
    double threshold, growth = number(json_object_get(json_object_get(answer, "requests"), "ratio"), "low") - 1;
    if (!cli_option(f->args, "gate"))
        return CLI_OK;
    int status = cli_percent(f->args, "gate", 0, 0, &threshold);
    if (!status && *fleet_text(answer, "reason"))
        return cli_fail("%s: nothing is compared: %s", f->address, fleet_text(answer, "reason"));
    if (!status && json_is_false(json_object_get(answer, "complete")))
        return cli_fail("%s: not everything could be compared, so --gate does not pass", f->address);
    int methods = status ? status : check_methods(json_object_get(answer, "changes"), threshold);
    if (!status && growth > threshold)
        return cli_fail("a request costs at least %.2f %% more", 100 * growth);
    return methods;
}

static int changes_run(const struct fleet *f)
{
    static const char *const options[] = {"type", "before", "after", "by", "split", "requests"};
    struct buffer query;
    double threshold;
    int status = cli_percent(f->args, "gate", 0, 0, &threshold);
    if (status)
        return status;
    fleet_begin(f, &query, "/v1/changes");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        fleet_put_option(f, &query, options[i]);
    if (cli_switch(f->args, "all"))
        fleet_put(&query, "all", "1");
    fleet_put(&query, "limit", "100000");
    return fleet_show_and_check(f, &query, print, check_gate);
}

const struct fleet_view fleet_changes = {
    .name = "changes",
    .words = "",
    .summary = "what changed in a service, from version to version or from time to time, and how sure that is",
    .options = "type before after by split requests all gate",
    .run = changes_run,
};
