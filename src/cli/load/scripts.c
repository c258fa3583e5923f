#include "cli/load/scripts.h"

#include "base/time_units.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

static bool has_response(const struct load_config *config)
{
    return config->mode != LOAD_THROUGHPUT;
}

static uint64_t errors_of(const struct outcome *o)
{
    uint64_t n = 0;
    for (int kind = OUTCOME_REFUSED; kind <= OUTCOME_TIMEOUT; kind++)
        n += o->kinds[kind];
    return n;
}

static double seconds(const struct load_result *r)
{
    return (double)r->elapsed / NS_PER_S;
}

/* ---- YCSB ---- */

static void put_ycsb(const char *name, const struct candor_histogram *h)
{
    static const struct {
        const char *label;
        double percent;
    } rows[] = {{"50thPercentileLatency(us)", 50}, {"95thPercentileLatency(us)", 95}, {"99thPercentileLatency(us)", 99}};
    printf("[%s], Operations, %" PRId64 "\n", name, candor_histogram_total(h));
    printf("[%s], AverageLatency(us), %.3f\n", name, candor_histogram_mean(h) / 1000);
    printf("[%s], MinLatency(us), %" PRId64 "\n", name, candor_histogram_min(h) / 1000);
    printf("[%s], MaxLatency(us), %" PRId64 "\n", name, candor_histogram_max(h) / 1000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("[%s], %s, %" PRId64 "\n", name, rows[i].label, candor_histogram_percentile(h, rows[i].percent) / 1000);
}

int load_print_ycsb(const struct load_config *config, const struct load_result *r)
{
    const struct outcome *o = &r->outcome;
    uint64_t all = 0;
    for (int kind = 0; kind <= OUTCOME_TIMEOUT; kind++)
        all += o->kinds[kind];
    printf("[OVERALL], RunTime(ms), %" PRIu64 "\n", r->elapsed / NS_PER_MS);
    printf("[OVERALL], Throughput(ops/sec), %.3f\n", r->elapsed ? (double)all / seconds(r) : 0);
    for (uint32_t i = 0; i < config->mix.count; i++) {
        char name[80], intended[96];
        size_t n = 0;
        for (const char *at = config->mix.types[i].name; *at && n + 1 < sizeof name; at++)
            name[n++] = (char)toupper((unsigned char)*at);
        name[n] = 0;
        put_ycsb(name, &o->times[i][OUTCOME_SERVICE].total);
        snprintf(intended, sizeof intended, "Intended-%s", name);
        if (has_response(config))
            put_ycsb(intended, &o->times[i][OUTCOME_RESPONSE].total);
    }
    printf("[TOTAL], Return=OK, %" PRIu64 "\n[TOTAL], Return=ERROR, %" PRIu64 "\n", o->kinds[OUTCOME_ANSWERED], errors_of(o));
    return 0;
}

/* ---- cassandra-stress ---- */

/* One line of the summary: the value of all operations, then of each. */
static void put_line(const struct load_config *config, const struct outcome *o, enum outcome_time time, const struct candor_histogram *sum,
                     const char *label, double percent)
{
    printf("%-26s: %6.1f ms [", label,
           (double)(percent < 0 ? candor_histogram_mean(sum) : candor_histogram_percentile(sum, percent)) / 1e6);
    for (uint32_t i = 0; i < config->mix.count; i++) {
        const struct candor_histogram *h = &o->times[i][time].total;
        double value = percent < 0 ? candor_histogram_mean(h) : (double)candor_histogram_percentile(h, percent);
        printf("%s%s: %.1f ms", i ? ", " : "", config->mix.types[i].name, value / 1e6);
    }
    puts("]");
}

static void put_counts(const struct load_config *config, const struct load_result *r, const char *label, bool rate)
{
    double all = 0, by = rate && r->elapsed ? seconds(r) : 1;
    for (uint32_t i = 0; i < config->mix.count; i++)
        all += (double)candor_histogram_total(&r->outcome.times[i][OUTCOME_SERVICE].total);
    printf("%-26s: %8.0f%s [", label, all / by, rate ? " op/s" : "");
    for (uint32_t i = 0; i < config->mix.count; i++)
        printf("%s%s: %.0f%s", i ? ", " : "", config->mix.types[i].name,
               (double)candor_histogram_total(&r->outcome.times[i][OUTCOME_SERVICE].total) / by, rate ? " op/s" : "");
    puts("]");
}

int load_print_stress(const struct load_config *config, const struct load_result *r)
{
    enum outcome_time time = config->mode == LOAD_FIXED ? OUTCOME_RESPONSE : OUTCOME_SERVICE;
    uint64_t whole = r->elapsed / NS_PER_S;
    struct candor_histogram sum;
    if (outcome_histogram(&sum))
        return -1;
    outcome_sum(&r->outcome, time, false, &sum);
    puts("Results:");
    put_counts(config, r, "Op rate", true);
    put_line(config, &r->outcome, time, &sum, "Latency mean", -1);
    put_line(config, &r->outcome, time, &sum, "Latency median", 50);
    put_line(config, &r->outcome, time, &sum, "Latency 95th percentile", 95);
    put_line(config, &r->outcome, time, &sum, "Latency 99th percentile", 99);
    put_line(config, &r->outcome, time, &sum, "Latency 99.9th percentile", 99.9);
    put_line(config, &r->outcome, time, &sum, "Latency max", 100);
    put_counts(config, r, "Total partitions", false);
    printf("%-26s: %8" PRIu64 "\n", "Total errors", errors_of(&r->outcome));
    printf("%-26s: %02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "\n\nEND\n", "Total operation time", whole / 3600, whole / 60 % 60, whole % 60);
    candor_histogram_deinit(&sum);
    return 0;
}

/* ---- Prometheus ---- */

static void put_summary(const struct load_config *config, const struct outcome *o, enum outcome_time time, const char *name,
                        const char *help)
{
    static const char *const quantiles[] = {"0.5", "0.9", "0.99", "0.999", "0.9999"};
    static const double percents[] = {50, 90, 99, 99.9, 99.99};
    printf("# HELP candor_load_%s_seconds %s\n# TYPE candor_load_%s_seconds summary\n", name, help, name);
    for (uint32_t i = 0; i < config->mix.count; i++) {
        const struct candor_histogram *h = &o->times[i][time].total;
        const char *request = config->mix.types[i].name;
        for (int q = 0; q < 5; q++)
            printf("candor_load_%s_seconds{request=\"%s\",quantile=\"%s\"} %.9f\n", name, request, quantiles[q],
                   (double)candor_histogram_percentile(h, percents[q]) / 1e9);
        printf("candor_load_%s_seconds_sum{request=\"%s\"} %.9f\n", name, request,
               candor_histogram_mean(h) * (double)candor_histogram_total(h) / 1e9);
        printf("candor_load_%s_seconds_count{request=\"%s\"} %" PRId64 "\n", name, request, candor_histogram_total(h));
    }
}

int load_print_prometheus(const struct load_config *config, const struct load_result *r)
{
    const struct outcome *o = &r->outcome;
    puts("# HELP candor_load_requests_total Requests by how they ended.\n# TYPE candor_load_requests_total counter");
    for (int kind = 0; kind < OUTCOME_KINDS; kind++)
        printf("candor_load_requests_total{outcome=\"%s\"} %" PRIu64 "\n", outcome_kind_names[kind], o->kinds[kind]);
    if (has_response(config)) {
        put_summary(config, o, OUTCOME_RESPONSE, "response", "From the moment at which a request was due until its end.");
        put_summary(config, o, OUTCOME_WAIT, "wait", "From the moment at which a request was due until it was sent.");
    }
    put_summary(config, o, OUTCOME_SERVICE, "service", "From sending a request until its end.");
    printf("# HELP candor_load_elapsed_seconds The measured time.\n# TYPE candor_load_elapsed_seconds gauge\ncandor_load_elapsed_seconds "
           "%.9f\n",
           seconds(r));
    return 0;
}
