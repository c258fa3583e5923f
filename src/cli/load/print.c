#include "cli/load/print.h"

#include "base/text/jsonw.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "cli/cli.h"
#include "cli/progress.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const char *const mode_names[] = {"throughput", "throttle", "fixed"};
static const char *const time_names[] = {"response", "service", "wait"};
static const char *const percentile_names[] = {"p50", "p90", "p99", "p99.9", "p99.99"};
static const double percentiles[] = {50, 90, 99, 99.9, 99.99};
enum { PERCENTILES = 5 };
#define SMALL 100000 /* ns: a lateness that is no finding */

static const char *const kind_texts[OUTCOME_KINDS] = {
    "answered",
    "answered with an error (a status of 400 or more; for a program, a status other than 0; for a store, an error or no such record)",
    "answered with another value than the one that was written",
    "failed: no connection",
    "failed: connection broken, or no HTTP answer",
    "timed out",
    "still without an answer at the end; counted with the time they had taken",
    "due, but not sent before the end because no connection was free; counted with the time they had waited",
};

static char *duration(int64_t ns, char out[32])
{
    return units_format_duration(out, 32, (uint64_t)ns);
}

void load_print_tick(const struct load_tick *t)
{
    static const double shown[] = {50, 99, 99.9, 100};
    int64_t values[4];
    char text[4][32], done[32];
    candor_histogram_percentiles(t->times, shown, values, 4);
    for (int i = 0; i < 4; i++)
        duration(values[i], text[i]);
    fprintf(stderr, "%6.1f s %9s/s  p50 %-8s p99 %-8s p99.9 %-8s max %-8s in flight %" PRIu32, (double)t->elapsed / NS_PER_S,
            progress_count(t->length ? (uint64_t)((double)t->done * NS_PER_S / (double)t->length + 0.5) : 0, done, sizeof done), text[0],
            text[1], text[2], text[3], t->in_flight);
    if (t->waiting)
        fprintf(stderr, "  waiting %" PRIu64, t->waiting);
    if (t->failed)
        fprintf(stderr, "  failed %" PRIu64, t->failed);
    fputs(t->warming_up ? "  (warm-up)\n" : "\n", stderr);
}

/* ---- sums ---- */

struct figures {
    int64_t count, min, max, at[PERCENTILES];
    double mean;
};

static struct figures figures_of(const struct candor_histogram *h)
{
    struct figures f = {candor_histogram_total(h), candor_histogram_min(h), candor_histogram_max(h), {0}, candor_histogram_mean(h)};
    candor_histogram_percentiles(h, percentiles, f.at, PERCENTILES);
    return f;
}

static uint64_t answers(const struct outcome *o)
{
    return o->kinds[OUTCOME_ANSWERED] + o->kinds[OUTCOME_REFUSED] + o->kinds[OUTCOME_WRONG];
}

static uint64_t errors(const struct outcome *o)
{
    return o->kinds[OUTCOME_REFUSED] + o->kinds[OUTCOME_WRONG] + o->kinds[OUTCOME_NO_CONNECT] + o->kinds[OUTCOME_BROKEN] +
           o->kinds[OUTCOME_TIMEOUT];
}

static double per_second(const struct load_result *r)
{
    return r->elapsed ? (double)answers(&r->outcome) * NS_PER_S / (double)r->elapsed : 0;
}

static uint64_t cpu_per_request(const struct load_result *r)
{
    uint64_t n = answers(&r->outcome) + r->warm_up_requests;
    return n ? r->cpu / n : 0;
}

static bool has_response(const struct load_config *config)
{
    return config->mode != LOAD_THROUGHPUT;
}

/* ---- text ---- */

static void print_row(const char *name, const struct candor_histogram *h, bool main_figure)
{
    char text[8][32];
    struct figures f = figures_of(h);
    printf("  %-22s", name);
    if (!f.count) {
        puts(" none");
        return;
    }
    int64_t values[] = {f.min, (int64_t)(f.mean + 0.5), f.at[0], f.at[1], f.at[2], f.at[3], f.at[4], f.max};
    for (int i = 0; i < 8; i++)
        printf(" %9s", duration(values[i], text[i]));
    puts(main_figure ? "  <" : "");
}

static void print_counts(const struct outcome *o)
{
    char n[32];
    for (int i = 0; i < OUTCOME_KINDS; i++)
        if (o->kinds[i] || i == OUTCOME_ANSWERED)
            printf("  %14s %s\n", progress_count(o->kinds[i], n, sizeof n), kind_texts[i]);
    if (o->reconnects)
        printf("  %14s sent again, because the server had closed the connection before it began with them\n",
               progress_count(o->reconnects, n, sizeof n));
    if (o->has_problem)
        printf("  first problem: %s\n", o->first_problem);
}

/* The first of the percentiles that the generator's own lateness makes up by more than a quarter; PERCENTILES = none. Its lateness and the
 * response time may be of different requests, so this is a bound. */
static int first_doubtful(const struct outcome *o, const struct candor_histogram *response)
{
    const struct candor_histogram *late = &o->own[OUTCOME_LATENESS].total;
    int64_t lateness[PERCENTILES], times[PERCENTILES];
    candor_histogram_percentiles(late, percentiles, lateness, PERCENTILES);
    candor_histogram_percentiles(response, percentiles, times, PERCENTILES);
    for (int i = 0; i < PERCENTILES; i++)
        if (lateness[i] > SMALL && lateness[i] * 4 > times[i])
            return i;
    return PERCENTILES;
}

const char *load_doubtful_from(const struct outcome *outcome, const struct candor_histogram *response)
{
    int i = first_doubtful(outcome, response);
    return i < PERCENTILES ? percentile_names[i] : NULL;
}

static void print_lateness(const struct outcome *o, const struct candor_histogram *response)
{
    char a[32], b[32];
    int i = first_doubtful(o, response);
    if (i == PERCENTILES)
        return;
    printf("\nFinding: the generator was late: do not believe p%g%s. At p%g it sent requests %s after they were due, and the response "
           "time is %s. This machine is too busy for more exact figures.\n",
           percentiles[i], i + 1 < PERCENTILES ? " and higher percentiles" : "", percentiles[i],
           duration(candor_histogram_percentile(&o->own[OUTCOME_LATENESS].total, percentiles[i]), a),
           duration(candor_histogram_percentile(response, percentiles[i]), b));
}

/* Prints warnings that a reader needs to judge the figures. */
static void print_warnings(const struct load_config *config, const struct load_result *r)
{
    const struct outcome *o = &r->outcome;
    char a[32];
    if (!has_response(config))
        return;
    int64_t late = candor_histogram_percentile(&o->own[OUTCOME_LATENESS].total, 99);
    int64_t limit = candor_histogram_percentile(&o->own[OUTCOME_CONNECTION_WAIT].total, 99);
    struct candor_histogram response;
    if (outcome_histogram(&response))
        return;
    outcome_sum(o, OUTCOME_RESPONSE, false, &response);
    int64_t p99 = candor_histogram_percentile(&response, 99);
    print_lateness(o, &response);
    candor_histogram_deinit(&response);
    if (limit > late && limit * 4 > p99)
        printf("\nNote: requests waited for a free connection, %s at p99. This wait is part of the response time, because a caller would "
               "have waited, too.\n"
               "Whether more than %" PRIu32 " connections (-c) help shows whether the server or this limit made them wait.\n",
               duration(limit, a), config->connections);
}

int load_print_text(const struct load_config *config, const struct load_result *r, const struct profiled *profile)
{
    static const char *const heads[] = {"min", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "max"};
    struct candor_histogram sum;
    char text[32];
    if (outcome_histogram(&sum))
        return -1;
    enum outcome_time figure = config->mode == LOAD_FIXED ? OUTCOME_RESPONSE : OUTCOME_SERVICE;
    if (config->think)
        printf("closed system: each of %" PRIu32 " connections waits %s after an answer, so the load falls when the server is slow\n",
               config->connections, duration((int64_t)config->think, text));
    printf("mode %s, %s measured%s, %.1f answers per second\n", mode_names[config->mode], duration((int64_t)r->elapsed, text),
           r->interrupted ? " (interrupted)" : "", per_second(r));
    print_counts(&r->outcome);
    printf("\n  %-22s", "");
    for (int i = 0; i < 8; i++)
        printf(" %9s", heads[i]);
    putchar('\n');
    for (int t = has_response(config) ? 0 : OUTCOME_SERVICE; t < (has_response(config) ? OUTCOME_TIMES : OUTCOME_WAIT); t++) {
        outcome_sum(&r->outcome, t, false, &sum);
        print_row(time_names[t], &sum, t == (int)figure);
    }
    for (int i = 0; i < OUTCOME_OWN && has_response(config); i++)
        print_row(i == OUTCOME_LATENESS ? "  of it: generator" : "  of it: connections", &r->outcome.own[i].total, false);
    for (uint32_t i = 0; i < config->mix.count && config->mix.count > 1; i++)
        print_row(r->outcome.times[i][figure].tag, &r->outcome.times[i][figure].total, false);
    printf("\n  %-22s %9s per answer\n", "CPU of the generator", duration((int64_t)cpu_per_request(r), text));
    print_warnings(config, r);
    if (profile)
        profiled_print_text(profile);
    candor_histogram_deinit(&sum);
    return 0;
}

/* ---- JSON ---- */

static void put_figures(struct jsonw *j, const char *key, const struct candor_histogram *h)
{
    static const char *const names[] = {"p50_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns"};
    struct figures f = figures_of(h);
    jsonw_key(j, key);
    jsonw_object(j);
    jsonw_member_uint(j, "count", (uint64_t)f.count);
    jsonw_member_uint(j, "min_ns", (uint64_t)f.min);
    jsonw_key(j, "mean_ns");
    jsonw_exact(j, f.mean, false);
    for (int i = 0; i < PERCENTILES; i++)
        jsonw_member_uint(j, names[i], (uint64_t)f.at[i]);
    jsonw_member_uint(j, "max_ns", (uint64_t)f.max);
    jsonw_object_end(j);
}

static void put_type(struct jsonw *j, const struct load_config *config, const struct outcome *o, uint32_t i)
{
    jsonw_object(j);
    jsonw_member_text(j, "name", config->mix.types[i].name);
    jsonw_key(j, "weight");
    jsonw_exact(j, config->mix.types[i].weight, false);
    for (int t = 0; t < OUTCOME_TIMES; t++)
        if (t == OUTCOME_SERVICE || has_response(config))
            put_figures(j, time_names[t], &o->times[i][t].total);
    jsonw_object_end(j);
}

static void put_counts(struct jsonw *j, const struct outcome *o)
{
    jsonw_member_uint(j, "completed", answers(o));
    jsonw_member_uint(j, "errors", errors(o));
    jsonw_member_uint(j, "outstanding", o->kinds[OUTCOME_IN_FLIGHT] + o->kinds[OUTCOME_UNSENT]);
    jsonw_key(j, "outcomes");
    jsonw_object(j);
    for (int i = 0; i < OUTCOME_KINDS; i++)
        jsonw_member_uint(j, outcome_kind_names[i], o->kinds[i]);
    jsonw_object_end(j);
    jsonw_key(j, "statuses");
    jsonw_object(j);
    for (int i = 1; i < 6; i++) {
        char name[] = {(char)('0' + i), 'x', 'x', 0};
        jsonw_member_uint(j, name, o->statuses[i]);
    }
    jsonw_object_end(j);
    jsonw_member_text_or_null(j, "first_problem", o->first_problem);
    jsonw_member_uint(j, "connects", o->connects);
    jsonw_member_uint(j, "sent_again", o->reconnects);
    jsonw_member_uint(j, "body_bytes", o->bytes);
}

int load_print_json(const struct load_config *config, const struct load_result *r, const struct profiled *profile)
{
    struct jsonw j;
    struct candor_histogram sum;
    if (outcome_histogram(&sum))
        return -1;
    jsonw_init(&j, stdout);
    j.line_depth = 1;
    jsonw_object(&j);
    jsonw_member_text(&j, "mode", mode_names[config->mode]);
    jsonw_member_uint(&j, "elapsed_ns", r->elapsed);
    jsonw_member_uint(&j, "warm_up_ns", config->warm_up);
    jsonw_member_uint(&j, "warm_up_requests", r->warm_up_requests);
    jsonw_key(&j, "interrupted");
    jsonw_bool(&j, r->interrupted);
    jsonw_member_uint(&j, "connections", config->connections);
    jsonw_member_number(&j, "completed_per_second", per_second(r));
    put_counts(&j, &r->outcome);
    for (int t = 0; t < OUTCOME_TIMES; t++) {
        outcome_sum(&r->outcome, t, false, &sum);
        if (t == OUTCOME_SERVICE || has_response(config))
            put_figures(&j, time_names[t], &sum);
    }
    if (has_response(config)) {
        put_figures(&j, "generator_lateness", &r->outcome.own[OUTCOME_LATENESS].total);
        put_figures(&j, "connection_wait", &r->outcome.own[OUTCOME_CONNECTION_WAIT].total);
        outcome_sum(&r->outcome, OUTCOME_RESPONSE, false, &sum);
        jsonw_member_text_or_null(&j, "doubtful_from", load_doubtful_from(&r->outcome, &sum));
    }
    jsonw_key(&j, "requests");
    jsonw_array(&j);
    for (uint32_t i = 0; i < config->mix.count; i++)
        put_type(&j, config, &r->outcome, i);
    jsonw_array_end(&j);
    jsonw_member_uint(&j, "cpu_ns", r->cpu);
    jsonw_member_uint(&j, "cpu_ns_per_request", cpu_per_request(r));
    if (profile)
        profiled_print_json(profile, &j);
    jsonw_object_end(&j);
    jsonw_finish(&j);
    candor_histogram_deinit(&sum);
    return 0;
}
