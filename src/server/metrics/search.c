#include "server/metrics/search.h"

#include "server/metrics/condition.h"
#include "server/metrics/key_metrics.h"
#include "server/request/question.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_DEFAULT = 20, LIMIT_MAX = 1000 };

struct hit {
    struct store_minute minute;
    double value; /* -INFINITY = the JVM does not have the metric */
};

struct search {
    struct condition condition;
    bool has_condition;
    enum key_metric order;
    uint64_t shown; /* metrics in the answer */
    uint32_t limit;
    struct hit *hits; /* the largest first */
    uint32_t count;
    uint64_t matched;
};

/* ---- the question ---- */

static int read_order(struct http *h, struct search *s)
{
    uint64_t order;
    int rc = key_metrics_asked(h, "order", key_metric_bit(s->condition.first), &order);
    if (!rc && order & (order - 1)) {
        http_error(h, HTTP_BAD_REQUEST, "order: one key metric is wanted");
        rc = -EINVAL;
    }
    s->order = rc ? KEY_METRICS : (enum key_metric)__builtin_ctzll(order);
    return rc;
}

static int read_question(struct http *h, struct search *s)
{
    struct error e;
    size_t len;
    const char *where = http_parameter(h, "where", &len);
    s->has_condition = where && len;
    s->condition.first = KEY_CPU;
    int rc = s->has_condition ? condition_parse(&s->condition, where, len, &e) : 0;
    if (rc) {
        http_error(h, HTTP_BAD_REQUEST, "%s", e.text);
        return rc;
    }
    rc = read_order(h, s);
    rc = rc ? rc : question_number(h, "limit", LIMIT_DEFAULT, LIMIT_MAX, &s->limit);
    s->shown = rc ? 0 : s->condition.metrics | key_metric_bit(s->order);
    return rc;
}

/* ---- the search ---- */

/* Puts a hit in its place, and drops the last one if there are too many. Among equal values, the one found first stays first. */
static void keep(struct search *s, const struct store_minute *m, double value)
{
    uint32_t at = s->count;
    while (at && s->hits[at - 1].value < value)
        at--;
    if (at == s->limit)
        return;
    s->count += s->count < s->limit;
    memmove(&s->hits[at + 1], &s->hits[at], (s->count - 1 - at) * sizeof *s->hits);
    s->hits[at] = (struct hit){*m, value};
}

static int take_minute(void *context, const struct store_minute *m)
{
    struct search *s = context;
    double value;
    bool has_value = store_minute_value(m, s->order, &value);
    if (s->has_condition ? !condition_holds(&s->condition, m) : !has_value)
        return 0;
    s->matched++;
    keep(s, m, has_value ? value : -INFINITY);
    return 0;
}

/* ---- the answer ---- */

/* Writes the recording with its labels. A recording whose other days were deleted may be gone. */
static void put_recording(struct jsonw *j, struct store *store, uint64_t id)
{
    struct catalogue_recording r;
    struct error e;
    bool found;
    int rc = catalogue_get(store_catalogue(store), id, &r, &found, &e);
    found = !rc && found;
    jsonw_key(j, "recording");
    if (found)
        jsonw_uint(j, id);
    else
        jsonw_null(j);
    jsonw_member_text(j, "service", found ? labels_get(&r.labels, "service") : "");
    jsonw_key(j, "labels");
    jsonw_object(j);
    for (uint32_t i = 0; found && i < r.labels.count; i++)
        jsonw_member_text(j, r.labels.list[i].name, r.labels.list[i].value);
    jsonw_object_end(j);
    catalogue_recording_deinit(&r);
}

static void put_value(struct jsonw *j, const struct store_minute *m, enum key_metric metric)
{
    double value;
    if (store_minute_value(m, metric, &value))
        jsonw_exact(j, value, false);
    else
        jsonw_null(j);
}

static void put_hit(struct jsonw *j, const struct search *s, struct store *store, const struct hit *hit)
{
    jsonw_object(j);
    put_recording(j, store, hit->minute.recording);
    jsonw_key(j, "minute");
    jsonw_int(j, hit->minute.minute * KEY_MINUTE_S);
    jsonw_key(j, "value");
    put_value(j, &hit->minute, s->order);
    jsonw_key(j, "metrics");
    jsonw_object(j);
    for (int metric = 0; metric < KEY_METRICS; metric++) {
        if (!(s->shown & key_metric_bit((enum key_metric)metric)))
            continue;
        jsonw_key(j, key_metric_rows[metric].name);
        put_value(j, &hit->minute, (enum key_metric)metric);
    }
    jsonw_object_end(j);
    jsonw_object_end(j);
}

static void put_answer(struct http *h, const struct search *s, const struct store_metrics *of, const struct missing *missing)
{
    struct http_writer w;
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    jsonw_member_text(&w.json, "order", key_metric_rows[s->order].name);
    jsonw_member_text(&w.json, "unit", key_unit_rows[key_metric_rows[s->order].unit].word);
    jsonw_member_uint(&w.json, "matched", s->matched);
    jsonw_key(&w.json, "hits");
    jsonw_array(&w.json);
    for (uint32_t i = 0; i < s->count && !w.full; i++)
        put_hit(&w.json, s, h->server->store, &s->hits[i]);
    jsonw_array_end(&w.json);
    jsonw_member_uint(&w.json, "without_metrics", of->unmeasured);
    question_put_complete(&w.json, missing, "", s->matched > s->count);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

static void search(struct http *h, const struct question *query, struct search *s)
{
    struct store_metrics of = {0};
    struct missing missing = {0};
    struct error e;
    s->hits = calloc((size_t)s->limit + 1, sizeof *s->hits);
    store_note_unread(h->server->store, &query->q, &missing);
    int rc = s->hits ? store_metrics(h->server->store, &query->q, s->shown, NULL, take_minute, s, &of, &e) : -ENOMEM;
    rc = rc ? rc : store_forgotten_recordings(h->server->store, &query->q, &missing, &e);
    if (rc)
        question_failed(h, rc, &e);
    else
        put_answer(h, s, &of, &missing);
    free(s->hits);
    store_metrics_deinit(&of);
}

void search_answer(struct http *h)
{
    struct question query;
    struct search *s = calloc(1, sizeof *s);
    int rc = question_init(&query, h);
    if (!rc && !s)
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "out of memory");
    if (!rc && s && !read_question(h, s))
        search(h, &query, s);
    free(s);
    question_deinit(&query);
}
