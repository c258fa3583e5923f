#include "server/metrics/key_metrics.h"

#include "server/metrics/key_series.h"
#include "server/request/question.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_BYTES = 1024 };

char *key_metrics_names(char *out, size_t size)
{
    size_t at = 0;
    *out = 0;
    for (int i = 0; i < KEY_METRICS && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? ", " : "", key_metric_rows[i].name);
    return out;
}

int key_metrics_asked(struct http *h, const char *parameter, uint64_t otherwise, uint64_t *metrics)
{
    char names[NAMES_BYTES];
    const char *text = http_parameter(h, parameter, NULL);
    *metrics = 0;
    for (const char *at = text; at && *at; at += strspn(at, ",")) {
        size_t n = strcspn(at, ",");
        enum key_metric metric = key_metric_named(at, n);
        if (metric == KEY_METRICS) {
            http_error(h, HTTP_BAD_REQUEST, "%s: no key metric '%.*s'; there are %s", parameter, n < 40 ? (int)n : 40, at,
                       key_metrics_names(names, sizeof names));
            return -EINVAL;
        }
        *metrics |= key_metric_bit(metric);
        at += n;
    }
    *metrics = *metrics ? *metrics : otherwise;
    return 0;
}

/* Reads the step, and rounds it up to whole minutes. "all" gives 0: the whole time is one
 * step. */
static int read_step(struct http *h, const struct question *query, int64_t *step)
{
    const char *text = http_parameter(h, "step", NULL);
    bool all = text && !strcmp(text, "all");
    int rc = all ? 0 : question_step(h, query, step);
    *step = all ? 0 : (*step + KEY_MINUTE_S - 1) / KEY_MINUTE_S * KEY_MINUTE_S;
    return rc;
}

/* ---- the answer ---- */

static void put_points(struct jsonw *j, const struct key_series *s, uint32_t metric, uint32_t group)
{
    double value;
    jsonw_key(j, "points");
    jsonw_array(j);
    for (uint32_t step = 0; step < s->step_count; step++) {
        if (!key_series_value(s, metric, group, step, &value))
            continue;
        jsonw_array(j);
        jsonw_int(j, s->begin + step * s->step);
        jsonw_exact(j, value, false);
        jsonw_array_end(j);
    }
    jsonw_array_end(j);
}

static bool has_points(const struct key_series *s, uint32_t metric, uint32_t group)
{
    double value;
    for (uint32_t step = 0; step < s->step_count; step++)
        if (key_series_value(s, metric, group, step, &value))
            return true;
    return false;
}

static void put_metric(struct http_writer *w, const struct key_series *s, uint32_t metric)
{
    struct jsonw *j = &w->json;
    const struct key_metric_row *row = &key_metric_rows[s->metrics[metric]];
    jsonw_object(j);
    jsonw_member_text(j, "name", row->name);
    jsonw_member_text(j, "unit", key_unit_rows[row->unit].word);
    jsonw_member_text(j, "minutes", key_sort_rows[row->sort].minutes);
    jsonw_member_text(j, "jvms", key_sort_rows[row->sort].jvms);
    jsonw_member_text(j, "title", row->title);
    jsonw_member_text(j, "meaning", row->meaning);
    jsonw_key(j, "series");
    jsonw_array(j);
    for (uint32_t group = 0; group < s->group_count && !w->full; group++) {
        if (!has_points(s, metric, group))
            continue;
        jsonw_object(j);
        jsonw_member_text(j, "value", strtab_text(&s->of.values, s->groups[group].value));
        put_points(j, s, metric, group);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
    jsonw_object_end(j);
}

static void put_answer(struct http *h, const struct key_series *s, const struct missing *missing)
{
    struct http_writer w;
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    jsonw_key(&w.json, "from");
    jsonw_int(&w.json, s->begin);
    jsonw_key(&w.json, "to");
    jsonw_int(&w.json, s->begin + s->step_count * s->step);
    jsonw_member_uint(&w.json, "step", (uint64_t)s->step);
    jsonw_key(&w.json, "metrics");
    jsonw_array(&w.json);
    for (uint32_t metric = 0; metric < s->metric_count && !w.full; metric++)
        put_metric(&w, s, metric);
    jsonw_array_end(&w.json);
    jsonw_member_uint(&w.json, "without_metrics", s->of.unmeasured);
    question_put_complete(&w.json, missing, "", false);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

static void answer(struct http *h, const struct question *query, uint64_t metrics, int64_t step)
{
    struct key_series series;
    struct missing missing = {0};
    struct error e;
    const char *by = http_parameter(h, "by", NULL);
    store_note_unread(h->server->store, &query->q, &missing);
    int rc = key_series_ask(&series, h->server->store, &query->q, metrics, step, by && *by ? by : NULL, &e);
    rc = rc ? rc : store_forgotten_recordings(h->server->store, &query->q, &missing, &e);
    if (rc)
        question_failed(h, rc, &e);
    else
        put_answer(h, &series, &missing);
    key_series_deinit(&series);
}

void key_metrics_answer(struct http *h)
{
    struct question query;
    uint64_t metrics;
    int64_t step;
    int rc = question_init(&query, h);
    rc = rc ? rc : key_metrics_asked(h, "metric", key_metric_bit(KEY_METRICS) - 1, &metrics);
    rc = rc ? rc : read_step(h, &query, &step);
    rc = rc ? rc : question_of_recordings(h, "by", http_parameter(h, "by", NULL));
    if (!rc)
        answer(h, &query, metrics, step);
    question_deinit(&query);
}
