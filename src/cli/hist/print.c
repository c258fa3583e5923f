#include "cli/hist/print.h"

#include "base/text/jsonw.h"
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct printing {
    const struct hist_series *series;
    const struct hist_view *view;
    FILE *out;
    struct jsonw json;
    uint32_t printed;
};

static const char *tag_name(const struct printing *p, uint32_t tag)
{
    return *p->series->tags[tag] ? p->series->tags[tag] : "default";
}

static double shown(const struct printing *p, double value)
{
    return value / p->view->ratio;
}

/* Writes the name of a percentile, such as "p99.9". Returns out. */
static char *percentile_name(double percentile, char *out, size_t size)
{
    snprintf(out, size, "p%.10g", percentile);
    return out;
}

static void percentiles_of(const struct printing *p, const struct candor_histogram *h, int64_t values[HIST_PERCENTILES_MAX])
{
    candor_histogram_percentiles(h, p->view->percentiles, values, p->view->percentile_count);
}

/* ---- one row of JSON ---- */

static void put_value(struct jsonw *j, const struct printing *p, const char *key, double value)
{
    jsonw_key(j, key);
    jsonw_exact(j, shown(p, value), false);
}

static void put_row(struct printing *p, uint32_t tag, double start, double length, const struct candor_histogram *h)
{
    struct jsonw *j = &p->json;
    int64_t values[HIST_PERCENTILES_MAX], total = candor_histogram_total(h);
    char name[32];
    percentiles_of(p, h, values);
    jsonw_object(j);
    jsonw_member_text(j, "tag", p->series->tags[tag]);
    jsonw_member_number(j, "start_s", start);
    jsonw_member_number(j, "length_s", length);
    jsonw_member_uint(j, "count", (uint64_t)total);
    jsonw_member_number(j, "per_second", length > 0 ? (double)total / length : 0);
    put_value(j, p, "min", (double)candor_histogram_min(h));
    put_value(j, p, "mean", candor_histogram_mean(h));
    put_value(j, p, "stddev", candor_histogram_stddev(h));
    for (uint32_t i = 0; i < p->view->percentile_count; i++)
        put_value(j, p, percentile_name(p->view->percentiles[i], name, sizeof name), (double)values[i]);
    put_value(j, p, "max", (double)candor_histogram_max(h));
    jsonw_object_end(j);
}

static int visit_json(void *context, uint32_t tag, double start, double length, const struct candor_histogram *h)
{
    put_row(context, tag, start, length, h);
    return 0;
}

static int print_json(struct printing *p, double window, const char *key)
{
    struct jsonw *j = &p->json;
    jsonw_init(j, p->out);
    j->line_depth = 2;
    jsonw_object(j);
    jsonw_member_text_or_null(j, "unit", p->view->unit);
    jsonw_member_number(j, "ratio", p->view->ratio);
    jsonw_key(j, "start_epoch_s");
    jsonw_exact(j, p->series->start, false);
    jsonw_member_number(j, "length_s", p->series->end);
    jsonw_member_uint(j, "unread_lines", p->series->problems);
    jsonw_key(j, key);
    jsonw_array(j);
    int rc = series_windows(p->series, window, visit_json, p);
    jsonw_array_end(j);
    jsonw_object_end(j);
    jsonw_finish(j);
    return rc;
}

/* ---- totals ---- */

static void line(const struct printing *p, const char *name, double value)
{
    fprintf(p->out, "  %-14s %14.3f %s\n", name, shown(p, value), p->view->unit);
}

static void total_as_text(struct printing *p, uint32_t tag, double length, const struct candor_histogram *h)
{
    char count[32], name[32];
    int64_t values[HIST_PERCENTILES_MAX], total = candor_histogram_total(h);
    percentiles_of(p, h, values);
    fprintf(p->out, "%s%s\n", p->printed ? "\n" : "", tag_name(p, tag));
    fprintf(p->out, "  %-14s %14s\n", "count", progress_count((uint64_t)total, count, sizeof count));
    fprintf(p->out, "  %-14s %14.3f s\n", "period", length);
    if (length > 0)
        fprintf(p->out, "  %-14s %14.1f per s\n", "rate", (double)total / length);
    line(p, "min", (double)candor_histogram_min(h));
    line(p, "mean", candor_histogram_mean(h));
    line(p, "stddev", candor_histogram_stddev(h));
    for (uint32_t i = 0; i < p->view->percentile_count; i++)
        line(p, percentile_name(p->view->percentiles[i], name, sizeof name), (double)values[i]);
    line(p, "max", (double)candor_histogram_max(h));
}

static void csv_head(const struct printing *p, const char *first)
{
    char name[32];
    fprintf(p->out, "%s,Count,Min,Mean,StdDev", first);
    for (uint32_t i = 0; i < p->view->percentile_count; i++)
        fprintf(p->out, ",%s", percentile_name(p->view->percentiles[i], name, sizeof name));
    fputs(",Max\n", p->out);
}

static void csv_values(const struct printing *p, const struct candor_histogram *h)
{
    int64_t values[HIST_PERCENTILES_MAX];
    percentiles_of(p, h, values);
    fprintf(p->out, "%" PRId64 ",%.3f,%.3f,%.3f", candor_histogram_total(h), shown(p, (double)candor_histogram_min(h)),
            shown(p, candor_histogram_mean(h)), shown(p, candor_histogram_stddev(h)));
    for (uint32_t i = 0; i < p->view->percentile_count; i++)
        fprintf(p->out, ",%.3f", shown(p, (double)values[i]));
    fprintf(p->out, ",%.3f\n", shown(p, (double)candor_histogram_max(h)));
}

static int visit_total(void *context, uint32_t tag, double start, double length, const struct candor_histogram *h)
{
    struct printing *p = context;
    switch (p->view->format) {
    case HIST_CSV:
        fprintf(p->out, "%s,", tag_name(p, tag));
        csv_values(p, h);
        break;
    case HIST_HGRM:
    case HIST_HGRM_C:
        if (p->series->tag_count > 1)
            fprintf(p->out, "%s#[Tag = %s]\n", p->printed ? "\n" : "", tag_name(p, tag));
        candor_histogram_print_hgrm(h, p->out, p->view->ticks, p->view->ratio,
                                    p->view->format == HIST_HGRM_C ? CANDOR_HGRM_C : CANDOR_HGRM_JAVA);
        break;
    case HIST_TEXT:
    case HIST_JSON:
        total_as_text(p, tag, length, h);
        break;
    }
    p->printed++;
    return 0;
}

int hist_print_totals(const struct hist_series *s, const struct hist_view *view, FILE *out)
{
    struct printing p = {.series = s, .view = view, .out = out};
    if (view->format == HIST_JSON)
        return print_json(&p, INFINITY, "tags");
    if (view->format == HIST_CSV)
        csv_head(&p, "Tag");
    return series_windows(s, INFINITY, visit_total, &p);
}

/* ---- over time ---- */

static int visit_time(void *context, uint32_t tag, double start, double length, const struct candor_histogram *h)
{
    struct printing *p = context;
    char count[32];
    int64_t values[HIST_PERCENTILES_MAX];
    if (p->view->format == HIST_CSV) {
        fprintf(p->out, "%.3f,%.3f,%s,", start, length, tag_name(p, tag));
        csv_values(p, h);
        return 0;
    }
    percentiles_of(p, h, values);
    fprintf(p->out, "%10.3f %-24s %12s %11.3f", start, tag_name(p, tag),
            progress_count((uint64_t)candor_histogram_total(h), count, sizeof count), shown(p, candor_histogram_mean(h)));
    for (uint32_t i = 0; i < p->view->percentile_count; i++)
        fprintf(p->out, " %11.3f", shown(p, (double)values[i]));
    fprintf(p->out, " %11.3f\n", shown(p, (double)candor_histogram_max(h)));
    return 0;
}

int hist_print_times(const struct hist_series *s, const struct hist_view *view, double window, FILE *out)
{
    struct printing p = {.series = s, .view = view, .out = out};
    char name[32];
    if (view->format == HIST_JSON)
        return print_json(&p, window, "intervals");
    if (view->format == HIST_CSV) {
        csv_head(&p, "Start,Length,Tag");
    } else {
        fprintf(out, "%10s %-24s %12s %11s", "start s", "tag", "count", "mean");
        for (uint32_t i = 0; i < view->percentile_count; i++)
            fprintf(out, " %11s", percentile_name(view->percentiles[i], name, sizeof name));
        fprintf(out, " %11s%s%s\n", "max", *view->unit ? "   in " : "", view->unit);
    }
    return series_windows(s, window, visit_time, &p);
}
