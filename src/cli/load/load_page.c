#include "cli/load/load_page.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "cli/load/chart.h"
#include "cli/load/print.h"
#include "cli/load/profiled.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

/* What the sections of the page are made from. */
struct view {
    const struct load_intervals *intervals;
    const struct load_config *config;
    const struct load_result *result;
    const struct profiled *profile; /* or NULL */
    FILE *out;
    bool scheduled;
    struct candor_histogram response, service;
};

static const char *duration(double ns, char out[32])
{
    return units_format_duration(out, 32, (uint64_t)ns);
}

/* ---- in words ---- */

static void words(const struct view *v)
{
    char a[32], b[32], c[32], d[32];
    if (!v->scheduled) {
        fputs("<p>This load was <b>closed</b>: each connection sent when its answer had come. While the server stood still, nothing was "
              "sent, "
              "so this time is in few samples only. The figures are service times: they are not what callers of an open system wait. Use "
              "--rate to measure that.</p>\n",
              v->out);
        return;
    }
    double with = (double)candor_histogram_percentile(&v->response, 99), without = (double)candor_histogram_percentile(&v->service, 99);
    fprintf(v->out,
            "<p>Requests were due on a schedule that does not wait for answers. From the moment at which they were due, 99&nbsp;%% of them "
            "ended within <b>%s</b>, and all within %s. Measured from the moment at which they were sent, as by generators that wait for "
            "answers, "
            "the same requests took <b>%s</b> and %s: this omits what requests wait while the server is slow (coordinated omission).</p>\n",
            duration(with, a), duration((double)candor_histogram_max(&v->response), b), duration(without, c),
            duration((double)candor_histogram_max(&v->service), d));
    if (without > 0 && with / without > 1.1)
        fprintf(v->out, "<p>At p99 the difference is a factor of %.1f.</p>\n", with / without);
    const char *doubtful = load_doubtful_from(&v->result->outcome, &v->response);
    if (doubtful)
        fprintf(v->out, "<p class=\"bad\">The generator itself was late: do not believe %s and higher percentiles.</p>\n", doubtful);
    else
        fputs("<p>The generator itself sent requests in time: its lateness does not change the percentiles below.</p>\n", v->out);
}

/* ---- tables ---- */

static const double percents[] = {50, 90, 99, 99.9, 99.99, 100};
enum { PERCENTS = sizeof percents / sizeof *percents };

static void row(const struct view *v, const char *name, const struct candor_histogram *h)
{
    char text[32];
    fprintf(v->out, "<tr><th>%s</th><td>%" PRId64 "</td>", name, candor_histogram_total(h));
    for (int i = 0; i < PERCENTS; i++)
        fprintf(v->out, "<td>%s</td>", duration((double)candor_histogram_percentile(h, percents[i]), text));
    fputs("</tr>\n", v->out);
}

static void figures(const struct view *v)
{
    const struct outcome *o = &v->result->outcome;
    char name[120];
    fputs("<table><tr><th></th><th>requests</th><th>p50</th><th>p90</th><th>p99</th><th>p99.9</th><th>p99.99</th><th>max</th></tr>\n",
          v->out);
    if (v->scheduled)
        row(v, "response, from when it was due", &v->response);
    row(v, "service, from when it was sent", &v->service);
    if (v->scheduled)
        row(v, "lateness of the generator", &o->own[OUTCOME_LATENESS].total);
    for (uint32_t i = 0; i < v->config->mix.count && v->config->mix.count > 1; i++) {
        snprintf(name, sizeof name, "%s, %s", v->config->mix.types[i].name, v->scheduled ? "response" : "service");
        row(v, name, &o->times[i][v->scheduled ? OUTCOME_RESPONSE : OUTCOME_SERVICE].total);
    }
    fputs("</table>\n<table><tr><th>how requests ended</th><th></th></tr>\n", v->out);
    for (int kind = 0; kind < OUTCOME_KINDS; kind++)
        if (o->kinds[kind])
            fprintf(v->out, "<tr><th>%s</th><td>%" PRIu64 "</td></tr>\n", outcome_kind_names[kind], o->kinds[kind]);
    fputs("</table>\n", v->out);
    if (o->has_problem) {
        fputs("<p>The first problem: ", v->out);
        chart_escape(v->out, o->first_problem);
        fputs("</p>\n", v->out);
    }
}

/* ---- pictures ---- */

/* The percentiles of a histogram, as far as its count goes. x is the number of nines. */
static void spectrum_line(struct chart *c, const char *name, const struct candor_histogram *h)
{
    double total = (double)candor_histogram_total(h);
    chart_line(c, name);
    for (double nines = 0; nines <= 5 && total * pow(10, -nines) >= 1; nines += 0.05)
        chart_point(c, nines, (double)candor_histogram_percentile(h, 100 * (1 - pow(10, -nines))));
}

static void spectrum(const struct view *v)
{
    struct chart c;
    chart_begin(&c, "Percentiles", CHART_NINES, CHART_TIMES);
    if (v->scheduled)
        spectrum_line(&c, "response: what callers waited", &v->response);
    spectrum_line(&c, "service: with omission", &v->service);
    chart_end(&c, v->out);
}

enum course { RESPONSE, RESPONSE_MOST, SERVICE, SERVICE_MOST, LATE, STOPPED, RATE, FAILED };

static double value_of(const struct load_interval *i, enum course what)
{
    const double values[] = {i->response, i->response_most, i->service, i->service_most, i->late, i->stopped, i->rate, i->failed};
    return values[what];
}

static void course_line(const struct view *v, struct chart *c, const char *name, enum course what)
{
    chart_line(c, name);
    for (uint32_t i = 0; i < v->intervals->count; i++)
        chart_point(c, v->intervals->list[i].at, value_of(&v->intervals->list[i], what));
}

static void courses(const struct view *v)
{
    struct chart c;
    chart_begin(&c, "Times of each interval", CHART_SECONDS, CHART_TIMES);
    if (v->scheduled) {
        course_line(v, &c, "response p99", RESPONSE);
        course_line(v, &c, "response max", RESPONSE_MOST);
    }
    course_line(v, &c, "service p99", SERVICE);
    course_line(v, &c, "service max", SERVICE_MOST);
    if (v->scheduled)
        course_line(v, &c, "the generator's lateness, p99", LATE);
    if (v->profile)
        course_line(v, &c, "all threads of the server stood still", STOPPED);
    chart_end(&c, v->out);
    chart_begin(&c, "Requests per second", CHART_SECONDS, CHART_NUMBERS);
    course_line(v, &c, "ended", RATE);
    course_line(v, &c, "failed", FAILED);
    chart_end(&c, v->out);
}

/* ---- the page ---- */

static void whole(const struct view *v, const char *target)
{
    char text[32];
    fputs("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>candor load</title>\n<style>body{font:14px/1.5 "
          "sans-serif;margin:24px;max-width:980px}table{border-collapse:collapse;margin:16px 0}th,td{padding:2px 10px;text-align:right}"
          "th{text-align:left;font-weight:normal}tr:first-child th{font-weight:bold}.bad{color:#b00020}svg{display:block;max-width:100%;"
          "height:auto}</style>\n<h1>Load on ",
          v->out);
    chart_escape(v->out, target);
    fprintf(v->out, "</h1>\n<p>%s measured, %" PRIu32 " connections, %.1f requests per second ended.</p>\n",
            duration((double)v->result->elapsed, text), v->config->connections,
            v->result->elapsed ? (double)candor_histogram_total(&v->service) * NS_PER_S / (double)v->result->elapsed : 0);
    words(v);
    figures(v);
    spectrum(v);
    courses(v);
    if (v->profile)
        profiled_write_page(v->profile, v->out);
    fputs("</html>\n", v->out);
}

int load_page_write(const struct load_intervals *intervals, FILE *out, const char *target, const struct load_config *config,
                    const struct load_result *result, const struct profiled *profile)
{
    struct view v = {.intervals = intervals,
                     .config = config,
                     .result = result,
                     .profile = profile,
                     .out = out,
                     .scheduled = config->mode != LOAD_THROUGHPUT};
    int rc = intervals->no_memory || outcome_histogram(&v.response) || outcome_histogram(&v.service) ? -ENOMEM : 0;
    if (!rc) {
        outcome_sum(&result->outcome, OUTCOME_RESPONSE, false, &v.response);
        outcome_sum(&result->outcome, OUTCOME_SERVICE, false, &v.service);
        whole(&v, target);
    }
    candor_histogram_deinit(&v.response);
    candor_histogram_deinit(&v.service);
    return rc;
}
