/* candor fleet alerts: the rules of alerts and their states; with the name of a rule and --preview, when it would have fired.
 * silences.c has the options about silences. */
#include "cli/fleet/silences.h"

#include <stdio.h>

#include <string.h>

static const struct table_column columns[] = {
    {"RULE", false}, {"OF", false},  {"STATE", false},     {"SINCE", false}, {"VALUE", true},
    {"LOW", true},   {"HIGH", true}, {"THRESHOLD", false}, {"NOTE", false},
};
static const struct table_column firing_columns[] = {
    {"OF", false}, {"FROM", false}, {"UNTIL", false}, {"SECONDS", true}, {"VALUE", true}, {"LOW", true}, {"HIGH", true}, {"NOTE", false},
};

static json_int_t int_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void add_time(struct table *t, json_int_t seconds)
{
    char text[FLEET_TIME_MAX] = "";
    table_add(t, "%s", seconds ? fleet_time(text, seconds) : text);
}

static void add_figure(struct table *t, const json_t *object)
{
    static const char *const keys[] = {"value", "low", "high"};
    for (int i = 0; i < 3; i++) {
        const json_t *v = json_object_get(object, keys[i]);
        if (json_is_number(v))
            table_add(t, "%.3g", json_number_value(v));
        else
            table_add(t, "%s", "");
    }
}

/* Whether the answer's member is there and says false. */
static bool is_incomplete(const json_t *object)
{
    return json_is_false(json_object_get(object, "complete"));
}

/* ---- all rules ---- */

static void add_threshold(struct table *t, const json_t *rule)
{
    bool below = json_object_get(rule, "below");
    const char *baseline = fleet_text(rule, "baseline"), *by = strcmp(fleet_text(rule, "value"), "change") ? " x " : " since ";
    table_add(t, "%s%s%s%s", below ? "< " : "> ", fleet_text(rule, below ? "below" : "above"), *baseline ? by : "", baseline);
}

static const char *note_of(const json_t *rule, const json_t *alert)
{
    bool known = json_is_number(json_object_get(alert, "value"));
    return *fleet_text(rule, "error")                           ? fleet_text(rule, "error")
           : !known                                             ? "no data"
           : is_incomplete(alert)                               ? "incomplete"
           : json_is_true(json_object_get(alert, "quiet"))      ? "quiet time"
           : json_is_true(json_object_get(rule, "more_values")) ? "of more values than are evaluated"
                                                                : fleet_text(alert, "method");
}

static void add_note(struct table *t, const json_t *rule, const json_t *alert)
{
    json_int_t silence = int_of(alert, "silence");
    if (silence)
        table_add(t, "silence %lld", (long long)silence);
    else
        table_add(t, "%s", note_of(rule, alert));
}

static void add_rule(struct table *t, const json_t *rule)
{
    size_t i;
    json_t *alert, *alerts = json_object_get(rule, "alerts");
    json_array_foreach(alerts, i, alert)
    {
        table_add(t, "%s", fleet_text(rule, "name"));
        table_add(t, "%s", fleet_text(alert, "of"));
        table_add(t, "%s", fleet_text(alert, "state"));
        add_time(t, int_of(alert, "since"));
        add_figure(t, alert);
        add_threshold(t, rule);
        add_note(t, rule, alert);
    }
    if (json_array_size(alerts))
        return;
    table_add(t, "%s", fleet_text(rule, "name"));
    for (int k = 0; k < 6; k++)
        table_add(t, "%s", "");
    add_threshold(t, rule);
    table_add(t, "%s", *fleet_text(rule, "error") ? fleet_text(rule, "error") : "no data");
}

/* Prints the recordings that the rule has kept. */
static void print_kept(const json_t *rule)
{
    size_t i;
    json_t *one, *kept = json_object_get(rule, "kept");
    json_array_foreach(kept, i, one)
        printf("%s%s%lld", i ? "" : fleet_text(rule, "name"), i ? ", " : " keeps recordings ", (long long)int_of(one, "recording"));
    if (json_array_size(kept))
        puts("");
}

static int print_rules(const struct fleet *f, const json_t *answer)
{
    struct table t;
    size_t i;
    json_t *one;
    table_init(&t, columns, sizeof columns / sizeof *columns);
    json_array_foreach(json_object_get(answer, "rules"), i, one) add_rule(&t, one);
    int status = fleet_table(&t);
    json_array_foreach(json_object_get(answer, "rules"), i, one) print_kept(one);
    if (*fleet_text(answer, "error"))
        cli_fail("%s: %s; the previous rules stay in use", f->address, fleet_text(answer, "error"));
    json_array_foreach(json_object_get(answer, "targets"), i, one) if (*fleet_text(one, "error"))
        cli_fail("%s: cannot send to %s: %s", f->address, fleet_text(one, "name"), fleet_text(one, "error"));
    return status;
}

/* ---- preview ---- */

static void add_firing(struct table *t, const json_t *firing)
{
    json_int_t from = int_of(firing, "from"), to = int_of(firing, "to");
    table_add(t, "%s", fleet_text(firing, "of"));
    add_time(t, from);
    add_time(t, to);
    if (to)
        table_add(t, "%lld", (long long)(to - from));
    else
        table_add(t, "%s", "");
    add_figure(t, firing);
    table_add(t, "%s", json_is_true(json_object_get(firing, "quiet")) ? "not sent: quiet time" : "");
}

static int print_preview(const struct fleet *f, const json_t *answer)
{
    struct table t;
    size_t i;
    json_t *one;
    json_int_t n = int_of(answer, "count"), without = int_of(answer, "windows_without_data");
    table_init(&t, firing_columns, sizeof firing_columns / sizeof *firing_columns);
    json_array_foreach(json_object_get(answer, "firings"), i, one) add_firing(&t, one);
    if (table_end(&t, stdout))
        return cli_fail("out of memory");
    printf("%s would have fired %lld time%s: %lld windows, one every %lld s", fleet_text(json_object_get(answer, "rule"), "name"),
           (long long)n, n == 1 ? "" : "s", (long long)int_of(answer, "windows"), (long long)int_of(answer, "step"));
    if (without)
        printf(", %lld of them without data", (long long)without);
    puts("");
    return cli_finish_output();
}

/* ---- the view ---- */

static int alerts_run(const struct fleet *f)
{
    struct buffer query;
    bool preview = cli_switch(f->args, "preview");
    if (silences_wanted(f))
        return silences_run(f);
    if (cli_option(f->args, "of") || cli_option(f->args, "note"))
        return cli_usage(f->args->command, "--of and --note need --silence DURATION");
    if (preview && !f->word_count)
        return cli_usage(f->args->command, "--preview needs the name of a rule: candor fleet alerts URL NAME --preview");
    if (!preview && f->word_count)
        return cli_usage(f->args->command, "what about rule '%.60s'? --preview shows when it would have fired, --silence 2h silences it",
                         f->words[0]);
    fleet_begin(f, &query, preview ? "/v1/alerts/preview" : "/v1/alerts");
    if (preview)
        fleet_put(&query, "rule", f->words[0]);
    return fleet_show(f, &query, preview ? print_preview : print_rules);
}

const struct fleet_view fleet_alerts = {
    .name = "alerts",
    .words = "[NAME]",
    .summary = "rules of alerts, and their states",
    .options = "preview silences silence end-silence of note",
    .words_max = 1,
    .run = alerts_run,
};
