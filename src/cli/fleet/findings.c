/* candor fleet findings: the problems that the server found in recordings, the worst first; one of them in full; and its state. */
#include "analysis/show/findings_print.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "base/time_units.h"
#include "cli/fleet/fleet.h"

#include <inttypes.h>
#include <string.h>

static const struct table_column columns[] = {
    {"ID", true},     {"SEVERITY", false}, {"SERVICE", false}, {"WHAT", false},
    {"WHERE", false}, {"COST", true},      {"SINCE", false},   {"STATE", false},
};

static uint64_t number_of(const json_t *object, const char *name)
{
    json_int_t v = json_integer_value(json_object_get(object, name));
    return v > 0 ? (uint64_t)v : 0;
}

static const char *stamp(char out[FLEET_TIME_MAX], const json_t *object, const char *name)
{
    return fleet_time(out, (json_int_t)number_of(object, name));
}

/* ---- all ---- */

/* Prints the time that threads lost in each second of the recording where it was worst. */
static void add_cost(struct table *t, const json_t *worst)
{
    char lost[32];
    uint64_t ns = number_of(worst, "lost_ns"), duration = number_of(worst, "duration_ns");
    if (!ns || !duration)
        table_add(t, "%s", "");
    else
        table_add(t, "%s/s", units_format_duration(lost, sizeof lost, (uint64_t)((double)ns / (double)duration * NS_PER_S)));
}

static void add_row(struct table *t, const json_t *one)
{
    char since[FLEET_TIME_MAX];
    table_add(t, "%" PRIu64, number_of(one, "id"));
    table_add(t, "%s", fleet_text(one, "severity"));
    table_add(t, "%s", fleet_text(one, "service"));
    table_add(t, "%s", fleet_text(one, "title"));
    table_add(t, "%s", fleet_text(one, "place"));
    add_cost(t, json_object_get(one, "worst"));
    table_add(t, "%s", stamp(since, one, "first"));
    table_add(t, "%s", fleet_text(one, "state"));
}

/* Prints on standard error how many recordings the rules have not judged. */
static void print_judging(const struct fleet *f, const json_t *answer)
{
    const json_t *skipped = json_object_get(answer, "skipped"), *share = json_object_get(answer, "analyze_cpu");
    uint64_t waiting = number_of(answer, "waiting"), missed = number_of(skipped, "late"), unlisted = number_of(answer, "unlisted");
    if (json_is_number(share) && json_number_value(share) <= 0)
        fprintf(stderr, "%s: does not look for problems: it runs with --analyze-cpu 0\n", f->address);
    if (waiting || missed)
        fprintf(stderr, "%s: %" PRIu64 " recordings judged, %" PRIu64 " waiting, %" PRIu64 " skipped because there was no time\n",
                f->address, number_of(answer, "judged"), waiting, missed);
    if (unlisted)
        fprintf(stderr, "%s: %" PRIu64 " findings are not listed, because their services have too many\n", f->address, unlisted);
}

static int print_all(const struct fleet *f, const json_t *answer)
{
    const json_t *list = json_object_get(answer, "findings");
    struct table t;
    table_init(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < json_array_size(list); i++)
        add_row(&t, json_array_get(list, i));
    print_judging(f, answer);
    return fleet_table(&t);
}

static int show_all(const struct fleet *f)
{
    static const char *const options[] = {"state", "severity", "rule"};
    struct buffer query;
    fleet_begin(f, &query, "/v1/findings");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        fleet_put_option(f, &query, options[i]);
    return fleet_show(f, &query, print_all);
}

/* ---- one ---- */

static struct amount lost_of(const json_t *evidence)
{
    return (struct amount){.value = (double)number_of(evidence, "lost_ns"),
                           .low = (double)number_of(evidence, "lost_low_ns"),
                           .high = (double)number_of(evidence, "lost_high_ns")};
}

/* Makes a finding of what the server's analysis wrote as JSON. Its texts are in f and in the JSON. */
static struct finding finding_of(struct findings *f, const json_t *json)
{
    const json_t *evidence = json_object_get(json, "evidence"), *worst = json_object_get(json, "worst");
    const char *text = fleet_text(json, "text"), *of_window = fleet_text(worst, "text"), *id = fleet_text(json, "id");
    return (struct finding){.kind = finding_named(id, strlen(id)),
                            .score = json_number_value(json_object_get(json, "score")),
                            .text = findings_string(f, text),
                            .lost_ns = lost_of(evidence),
                            .report = fleet_text(evidence, "report"),
                            .table = fleet_text(evidence, "table"),
                            .remedy = fleet_text(json, "remedy"),
                            .from_ns = (int64_t)number_of(worst, "start_ns"),
                            .window_ns = number_of(worst, "duration_ns"),
                            .worst = strcmp(text, of_window) ? findings_string(f, of_window) : 0};
}

static void print_values(const json_t *one, const char *title, const char *name)
{
    const json_t *list = json_object_get(one, name);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *value = json_string_value(json_array_get(list, i));
        fprintf(stdout, i ? ", " : "      %-9s", title);
        utf8_print(stdout, value ? value : "");
    }
    if (json_array_size(list))
        fputc('\n', stdout);
}

/* Prints where the finding was seen, and its evidence. */
static void print_life(const struct fleet *f, const json_t *one)
{
    char first[FLEET_TIME_MAX], last[FLEET_TIME_MAX], changed[FLEET_TIME_MAX];
    const json_t *evidence = json_object_get(one, "evidence");
    uint64_t id = number_of(evidence, "recording");
    printf("      seen     in %" PRIu64 " recordings, from %s to %s\n", number_of(one, "recordings"), stamp(first, one, "first"),
           stamp(last, one, "last"));
    print_values(one, "hosts", "hosts");
    print_values(one, "versions", "versions");
    printf("      state    %s since %s", fleet_text(one, "state"), stamp(changed, one, "changed"));
    if (*fleet_text(one, "note")) {
        fputs(": ", stdout);
        utf8_print(stdout, fleet_text(one, "note"));
    }
    if (json_is_true(json_object_get(evidence, "exists")))
        printf("\n      evidence curl -o recording-%" PRIu64 ".jfr %s/v1/recordings/%" PRIu64 "\n", id, f->address, id);
    else
        printf("\n      evidence recording %" PRIu64 " is no longer kept\n", id);
}

static int print_one(const struct fleet *f, const json_t *one)
{
    struct findings findings;
    char file[64];
    int rc = findings_init(&findings);
    struct finding finding = rc ? (struct finding){0} : finding_of(&findings, json_object_get(one, "finding"));
    snprintf(file, sizeof file, "recording-%" PRIu64 ".jfr", number_of(json_object_get(one, "evidence"), "recording"));
    bool is_known = finding.kind != FINDING_KINDS;
    if (!rc && !findings.failed && is_known) {
        utf8_print(stdout, fleet_text(one, "service"));
        fputc('\n', stdout);
        finding_print_text(stdout, &findings, &finding, file);
        print_life(f, one);
    }
    bool failed = rc || findings.failed;
    findings_deinit(&findings);
    if (!failed && !is_known)
        return cli_fail("%s: a newer server: this candor does not know the rule %s; --json shows it", f->address, fleet_text(one, "rule"));
    return failed ? cli_fail("out of memory") : cli_finish_output();
}

static int show_one(const struct fleet *f)
{
    struct buffer query;
    buffer_init(&query, FLEET_QUERY_MAX);
    buffer_printf(&query, "/v1/findings/%s", f->words[0]);
    return fleet_show(f, &query, print_one);
}

/* ---- its state ---- */

static int change_one(const struct fleet *f)
{
    const char *state = cli_option(f->args, "set"), *note = cli_option(f->args, "note");
    struct buffer path;
    json_t *change = json_object();
    if ((state && json_object_set_new(change, "state", json_string(state))) ||
        (note && json_object_set_new(change, "note", json_string(note)))) {
        json_decref(change);
        return cli_usage(f->args->command, "--set and --note must be UTF-8");
    }
    buffer_init(&path, FLEET_QUERY_MAX);
    buffer_printf(&path, "/v1/findings/%s", f->words[0]);
    int status = fleet_tell(f, &path, change, NULL);
    if (!status && state)
        printf("finding %s: %s\n", f->words[0], state);
    return status ? status : cli_finish_output();
}

static int findings_run(const struct fleet *f)
{
    bool changes = cli_option(f->args, "set") || cli_option(f->args, "note");
    const char *id = f->word_count ? f->words[0] : "";
    if (changes && !f->word_count)
        return cli_usage(f->args->command, "--set and --note need the ID of a finding, which the first column of the table shows");
    if (f->word_count && (!*id || id[strspn(id, "0123456789")]))
        return cli_usage(f->args->command, "'%.60s' is not the ID of a finding, which the first column of the table shows", id);
    return changes ? change_one(f) : f->word_count ? show_one(f) : show_all(f);
}

const struct fleet_view fleet_findings = {
    .name = "findings",
    .words = "[ID]",
    .words_max = 1,
    .summary = "problems that the server found, the worst first; with ID one of them",
    .options = "state severity rule set note",
    .run = findings_run,
};
