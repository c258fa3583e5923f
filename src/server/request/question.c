#include "server/request/question.h"

#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/request/times.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { STEPS_DEFAULT = 200, STEPS_MAX = 11000 };

/* ---- the question ---- */

static int read_time(struct http *h, const char *name, const char *otherwise, int64_t *seconds)
{
    const char *text = http_parameter(h, name, NULL);
    int64_t ns;
    if (times_parse(text && *text ? text : otherwise, (int64_t)clock_realtime_ns(), &ns)) {
        http_error(h, HTTP_BAD_REQUEST, "%s: '%.40s' is not a time; write -1h, 2026-11-22T16:41:00Z or seconds since the epoch", name,
                   text);
        return -EINVAL;
    }
    bool to = *name == 't'; /* includes the second that has begun */
    *seconds = ns / NS_PER_S + (to && ns % NS_PER_S ? 1 : 0);
    return 0;
}

int question_selector(struct selector *s, const struct http *h, const char *text, struct error *e)
{
    int rc = selector_parse(s, text, e);
    s->services = h->token.services;
    return rc;
}

int question_init(struct question *query, struct http *h)
{
    int rc = question_init_of_samples(query, h);
    for (uint32_t i = 0; !rc && i < query->selector.count; i++)
        rc = question_of_recordings(h, "select", query->selector.list[i].name);
    return rc;
}

int question_length(const struct server *s, int64_t from, int64_t to, struct error *e)
{
    int64_t most = (int64_t)s->limits.query_s;
    if (!most || to - from <= most)
        return 0;
    return error_set(e, -EINVAL,
                     "the query time range exceeds the limit (max_query_length, actual: %" PRId64 "s, limit: %" PRId64
                     "s): ask for less time, or raise --max-query-length",
                     to - from, most);
}

int question_init_of_samples(struct question *query, struct http *h)
{
    struct error e;
    size_t len;
    *query = (struct question){0};
    const char *select = http_parameter(h, "select", &len);
    if (select && strlen(select) != len) {
        http_error(h, HTTP_BAD_REQUEST, "select: it has a zero byte");
        return -EINVAL;
    }
    int rc = question_selector(&query->selector, h, select ? select : "", &e);
    if (rc) {
        http_error(h, HTTP_BAD_REQUEST, "%s", e.text);
        return rc;
    }
    query->q.selector = &query->selector;
    query->q.until_ns = h->begun_ns + (uint64_t)SERVER_QUERY_S * NS_PER_S;
    query->q.is_gone = http_is_gone;
    query->q.client = h;
    query->q.type = http_parameter(h, "type", NULL);
    if (query->q.type && !*query->q.type)
        query->q.type = NULL;
    rc = read_time(h, "from", "-1h", &query->q.from);
    rc = rc ? rc : read_time(h, "to", "now", &query->q.to);
    if (!rc && query->q.to <= query->q.from) {
        http_error(h, HTTP_BAD_REQUEST, "to is not after from");
        rc = -EINVAL;
    } else if (!rc) {
        rc = question_length(h->server, query->q.from, query->q.to, &e);
        if (rc)
            http_error(h, HTTP_BAD_REQUEST, "%s", e.text);
    }
    return rc;
}

int question_of_recordings(struct http *h, const char *parameter, const char *label)
{
    if (!label || !selector_sample_label(label))
        return 0;
    http_error(h, HTTP_BAD_REQUEST, "%s: '%.60s' is a label of samples, and this takes labels of recordings only", parameter, label);
    return -EINVAL;
}

void question_deinit(struct question *query)
{
    selector_deinit(&query->selector);
}

int question_number(struct http *h, const char *name, uint32_t otherwise, uint32_t most, uint32_t *out)
{
    const char *text = http_parameter(h, name, NULL);
    uint64_t v;
    *out = otherwise;
    if (!text || !*text)
        return 0;
    if (number_parse(text, 1, most, &v)) {
        http_error(h, HTTP_BAD_REQUEST, "%s: '%.40s' is not a number from 1 to %u", name, text, most);
        return -EINVAL;
    }
    *out = (uint32_t)v;
    return 0;
}

int question_step(struct http *h, const struct question *query, int64_t *step)
{
    const char *text = http_parameter(h, "step", NULL);
    int64_t span = query->q.to - query->q.from;
    *step = (span + STEPS_DEFAULT - 1) / STEPS_DEFAULT;
    if (text && *text && times_parse_step(text, step)) {
        http_error(h, HTTP_BAD_REQUEST, "step: '%.40s' is not a whole number of seconds; write 60 or 1m", text);
        return -EINVAL;
    }
    if (span / *step > STEPS_MAX) {
        http_error(h, HTTP_BAD_REQUEST, "step: more than %d steps; make it longer", STEPS_MAX);
        return -EINVAL;
    }
    return 0;
}

void question_failed(struct http *h, int rc, const struct error *e)
{
    counters_gave_up(&h->server->counters, rc);
    if (rc == -ENOENT)
        http_error(h, HTTP_NOT_FOUND, "%s", e->text);
    else if (rc == -E2BIG)
        http_error(h, HTTP_BAD_REQUEST, "%s", e->text);
    else if (rc == -ECANCELED || rc == -ETIMEDOUT || rc == -EPIPE || rc == -EHOSTUNREACH)
        http_later(h, HTTP_SERVICE_UNAVAILABLE, e->text);
    else if (rc == -ENOMEM)
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "out of memory: ask for less");
    else
        http_error(h, HTTP_INTERNAL_SERVER_ERROR, "%s", e->text);
}

/* ---- members of every answer ---- */

void question_put_complete(struct jsonw *j, const struct missing *m, const char *type, bool more)
{
    char text[HTTP_EXTRA_BYTES];
    uint64_t parts = missing_parts(m);
    jsonw_key(j, "complete");
    jsonw_bool(j, !parts && !more);
    if (m->rounded_since) {
        jsonw_key(j, "weights_rounded_since");
        jsonw_int(j, m->rounded_since);
    }
    if (!parts)
        return;
    jsonw_key(j, "missing");
    jsonw_object(j);
    for (int i = 0; i < MISSING_REASONS; i++) {
        const struct missing_sum *sum = &m->sums[i];
        if (!sum->parts)
            continue;
        jsonw_key(j, missing_names[i]);
        jsonw_object(j);
        jsonw_member_uint(j, "parts", sum->parts);
        jsonw_member_uint(j, "rows", sum->rows);
        jsonw_member_uint(j, "weight", sum->weight);
        jsonw_object_end(j);
    }
    jsonw_object_end(j);
    jsonw_member_text(j, "missing_text", missing_text(m, type ? type : "", text, sizeof text));
}

static const int64_t steps[] = {3600, 86400}; /* of struct store_coarse */

void question_coarse_text(const struct store_result *r, char *out, size_t size)
{
    size_t at = 0;
    *out = 0;
    for (int i = 0; i < 2 && at < size; i++)
        if (r->coarse[i].from != r->coarse[i].to)
            at += (size_t)snprintf(out + at, size - at, "%s%lld-%lld/%lld", at ? ", " : "", (long long)r->coarse[i].from,
                                   (long long)r->coarse[i].to, (long long)steps[i]);
}

static void put_coarse(struct jsonw *j, const struct store_result *r)
{
    if (r->coarse[0].from == r->coarse[0].to && r->coarse[1].from == r->coarse[1].to)
        return;
    jsonw_key(j, "coarse");
    jsonw_array(j);
    for (int i = 0; i < 2; i++) {
        if (r->coarse[i].from == r->coarse[i].to)
            continue;
        jsonw_object(j);
        jsonw_key(j, "from");
        jsonw_int(j, r->coarse[i].from);
        jsonw_key(j, "to");
        jsonw_int(j, r->coarse[i].to);
        jsonw_key(j, "step");
        jsonw_int(j, steps[i]);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

void question_put_span(struct jsonw *j, const struct store_result *r)
{
    put_coarse(j, r);
    jsonw_key(j, "span");
    if (r->from == r->to) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    jsonw_key(j, "from");
    jsonw_int(j, r->from);
    jsonw_key(j, "to");
    jsonw_int(j, r->to);
    jsonw_object_end(j);
}
