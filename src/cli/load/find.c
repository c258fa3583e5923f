#include "cli/load/find.h"

#include "base/text/jsonw.h"
#include "base/text/number.h"
#include "base/text/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ENOUGH 1.01 /* the two ends of the interval, divided */
enum { TRIES = 2 }; /* of a rate that does not hold */
#define LEAST_RATE  0.1
#define ERRORS_MOST 0.01 /* with a larger share of errors, a rate does not hold */

int find_parse(struct find_limit *limit, const char *text, struct error *e)
{
    const char *less = strchr(text, '<'), *at = text + 1;
    *limit = (struct find_limit){.percent = 100};
    bool good = less && strlen(text) < sizeof limit->text && !units_parse_duration(less + 1, &limit->ns) && limit->ns;
    if (good && !strncmp(text, "max<", 4)) {
        snprintf(limit->text, sizeof limit->text, "%s", text);
        return 0;
    }
    good = good && *text == 'p' && !number_take_real(&at, 0, 100, &limit->percent) && at == less && limit->percent > 0;
    if (!good)
        return error_set(e, -EINVAL, "--find-rate '%.40s' is not a limit like 'p99<20ms' or 'max<1s'", text);
    snprintf(limit->text, sizeof limit->text, "%s", text);
    return 0;
}

/* Requests that ended with an error. Those in progress at the end count with their age only. */
static uint64_t errors_of(const struct outcome *o)
{
    uint64_t n = 0;
    for (int kind = OUTCOME_REFUSED; kind <= OUTCOME_TIMEOUT; kind++)
        n += o->kinds[kind];
    return n;
}

/* One run at a rate. Returns a status. */
static int try_rate(const struct find_runs *runs, const struct find_limit *limit, double rate, struct find_result *found)
{
    struct find_trial *t = &found->trials[found->count];
    struct load_result result;
    struct candor_histogram sum;
    runs->config->schedule = (struct schedule){.steps = {{.from = rate, .to = rate, .length = INFINITY}}, .count = 1};
    int status = runs->run(runs->args, runs->config, &result);
    if (!status && outcome_histogram(&sum))
        status = cli_fail("no memory for the result");
    else if (!status) {
        outcome_sum(&result.outcome, OUTCOME_RESPONSE, false, &sum);
        int64_t n = candor_histogram_total(&sum);
        t->rate = rate;
        t->reached = candor_histogram_percentile(&sum, limit->percent);
        t->errors = n ? (double)errors_of(&result.outcome) / (double)n : 1;
        t->holds = n && t->reached < (int64_t)limit->ns && t->errors <= ERRORS_MOST;
        found->interrupted = result.interrupted;
        found->count += !found->interrupted;
        candor_histogram_deinit(&sum);
    }
    load_result_deinit(&result);
    return status;
}

/* Judges a rate. A rate that did not hold is tried once more: a stall of the machine lasts for some of a run, and a rate that is too high
 * never holds. Returns as try_rate. */
static int judge_rate(const struct find_runs *runs, const struct find_limit *limit, double rate, struct find_result *found)
{
    bool holds = false;
    int tries = runs->config->virtual_time ? 1 : TRIES; /* there, each run is the same */
    for (int i = 0; i < tries && !holds && found->count < FIND_TRIALS_MAX; i++) {
        int status = try_rate(runs, limit, rate, found);
        if (status || found->interrupted)
            return status;
        holds = found->trials[found->count - 1].holds;
    }
    *(holds ? &found->holds : &found->breaks) = rate;
    return CLI_OK;
}

/* The next rate to try; 0 = the interval is small enough, or no rate holds. */
static double next_rate(const struct find_result *found, double first)
{
    if (found->holds && found->breaks)
        return found->breaks / found->holds > ENOUGH ? sqrt(found->holds * found->breaks) : 0;
    if (found->holds)
        return found->holds * 2 <= SCHEDULE_RATE_MAX ? found->holds * 2 : 0;
    if (found->breaks)
        return found->breaks / 2 >= LEAST_RATE ? found->breaks / 2 : 0;
    return first;
}

int find_rate(const struct find_runs *runs, const struct find_limit *limit, struct find_result *found)
{
    double first = runs->config->schedule.steps[0].from, rate;
    int status = CLI_OK;
    *found = (struct find_result){0};
    while (!status && !found->interrupted && found->count < FIND_TRIALS_MAX && (rate = next_rate(found, first)) > 0)
        status = judge_rate(runs, limit, rate, found);
    return status;
}

void find_print_text(const struct find_limit *limit, const struct find_result *found)
{
    char text[32];
    printf("%14s %14s  %s\n", "rate", "reached", limit->text);
    for (uint32_t i = 0; i < found->count; i++) {
        const struct find_trial *t = &found->trials[i];
        units_format_duration(text, sizeof text, (uint64_t)t->reached);
        printf("%12.1f/s %14s  %s\n", t->rate, text, t->holds ? "holds" : "does not hold");
    }
    if (found->interrupted)
        puts("interrupted");
    if (found->holds && found->breaks)
        printf("\nThe limit %s holds at %.1f/s, and not at %.1f/s.\n", limit->text, found->holds, found->breaks);
    else if (found->holds)
        printf("\nThe limit %s holds at %.1f/s; no higher rate was tried.\n", limit->text, found->holds);
    else
        printf("\nThe limit %s does not hold at any rate that was tried.\n", limit->text);
}

static void put_rate(struct jsonw *j, const char *key, double rate)
{
    jsonw_key(j, key);
    if (rate > 0)
        jsonw_exact(j, rate, false);
    else
        jsonw_null(j);
}

void find_print_json(const struct find_limit *limit, const struct find_result *found)
{
    struct jsonw j;
    jsonw_init(&j, stdout);
    j.line_depth = 2;
    jsonw_object(&j);
    jsonw_member_text(&j, "limit", limit->text);
    put_rate(&j, "holds_per_second", found->holds);
    put_rate(&j, "breaks_per_second", found->breaks);
    jsonw_key(&j, "interrupted");
    jsonw_bool(&j, found->interrupted);
    jsonw_key(&j, "trials");
    jsonw_array(&j);
    for (uint32_t i = 0; i < found->count; i++) {
        const struct find_trial *t = &found->trials[i];
        jsonw_object(&j);
        put_rate(&j, "per_second", t->rate);
        jsonw_member_uint(&j, "reached_ns", (uint64_t)t->reached);
        jsonw_key(&j, "errors");
        jsonw_exact(&j, t->errors, false);
        jsonw_key(&j, "holds");
        jsonw_bool(&j, t->holds);
        jsonw_object_end(&j);
    }
    jsonw_array_end(&j);
    jsonw_object_end(&j);
    jsonw_finish(&j);
}
