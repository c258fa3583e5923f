/* GET /v1/alerts/preview: what a rule would have done in the past. It evaluates the windows of that time one after the other, with the
 * code that evaluates the present. */
#include "base/array.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/alerts/alerts_internal.h"
#include "server/alerts/answer.h"
#include "server/alerts/tell/message.h"
#include "server/alerts/values.h"
#include "server/request/times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS_MAX = 2000, VALUES_MAX = 20 };

/* One time that the rule would have fired. */
struct firing {
    uint32_t value;
    int64_t from, to; /* to = 0: it still fires at the end */
    struct alert_figure worst;
    bool announced;
};

struct preview {
    struct http *http;
    struct question *question;
    const struct alert_rule *rule;
    struct alert_samples samples;
    struct alert_values values;
    int64_t step, windows;
    uint64_t without_data, incomplete;
    struct missing missing;
    struct firing *list;
    uint32_t count, cap;
    struct http_writer writer; /* its JSON has the array of points open */
    bool points;
};

static bool is_worse(const struct alert_rule *rule, const struct alert_figure *a, const struct alert_figure *b)
{
    return a->known && (!b->known || (rule->below ? a->value < b->value : a->value > b->value));
}

/* Notes the new state. */
static int note(struct preview *p, uint32_t value, const struct alert *a, bool changed)
{
    if (changed && a->state == ALERT_FIRING) {
        if (ARRAY_GROW(p->list, p->cap, p->count))
            return -ENOMEM;
        p->list[p->count++] = (struct firing){.value = value, .from = a->started};
    }
    if (!p->count || (a->state != ALERT_FIRING && !(changed && a->state == ALERT_RESOLVED)))
        return 0;
    struct firing *f = &p->list[p->count - 1];
    f->announced |= a->announced;
    if (a->state == ALERT_RESOLVED)
        f->to = a->ended;
    else if (is_worse(p->rule, &a->figure, &f->worst))
        f->worst = a->figure;
    return 0;
}

static void put_point(struct preview *p, uint32_t value, const struct alert *a)
{
    struct jsonw *j = &p->writer.json;
    jsonw_object(j);
    if (p->values.count)
        jsonw_member_text(j, "of", p->values.list[value]);
    jsonw_key(j, "at");
    jsonw_int(j, a->at);
    jsonw_member_text(j, "state", alert_states[a->state]);
    answer_put_figure(j, &a->figure);
    jsonw_object_end(j);
}

/* Evaluates all windows for one value of `each`, or for the whole selection. */
static int run(struct preview *p, uint32_t value, struct error *e)
{
    const struct store_query *q = &p->question->q;
    struct alert a = {0};
    struct alert_figure figure;
    int rc = 0;
    int64_t first = (q->from + p->step - 1) / p->step * p->step;
    for (int64_t to = first; !rc && to <= q->to - p->rule->delay; to += p->step) {
        rc = sources_evaluate(&p->samples, p->rule, p->values.count ? p->values.list[value] : NULL, to, &figure, e);
        if (rc)
            return rc;
        bool changed = verdict(&a, p->rule, &figure, to, p->step, false);
        p->windows++;
        p->without_data += !figure.known;
        p->incomplete += missing_parts(&figure.missing) > 0;
        if (missing_parts(&figure.missing) > missing_parts(&p->missing))
            p->missing = figure.missing;
        rc = note(p, value, &a, changed) ? error_set(e, -ENOMEM, "out of memory") : 0;
        if (p->points)
            put_point(p, value, &a);
    }
    return rc;
}

static int run_all(struct preview *p, struct error *e)
{
    const struct store_query *q = &p->question->q;
    if (!*p->rule->each)
        return run(p, 0, e);
    int rc = values_find(&p->values, p->rule, p->http->server->store, q, q->from - p->rule->window, q->to, e);
    for (uint32_t i = 0; !rc && i < p->values.count && i < VALUES_MAX; i++)
        rc = run(p, i, e);
    return rc;
}

static void put_firing(struct preview *p, const struct firing *f)
{
    struct jsonw *j = &p->writer.json;
    jsonw_object(j);
    if (p->values.count)
        jsonw_member_text(j, "of", p->values.list[f->value]);
    jsonw_key(j, "from");
    jsonw_int(j, f->from);
    jsonw_key(j, "to");
    if (f->to)
        jsonw_int(j, f->to);
    else
        jsonw_null(j);
    jsonw_key(j, "quiet");
    jsonw_bool(j, !f->announced);
    answer_put_figure(j, &f->worst);
    jsonw_object_end(j);
}

static void put_rest(struct preview *p)
{
    struct jsonw *j = &p->writer.json;
    bool cut = p->values.cut || p->values.count > VALUES_MAX;
    jsonw_array_end(j);
    jsonw_key(j, "rule");
    jsonw_object(j);
    answer_put_rule(j, p->rule, NULL);
    jsonw_object_end(j);
    jsonw_member_uint(j, "step", (uint64_t)p->step);
    jsonw_member_uint(j, "windows", (uint64_t)p->windows);
    jsonw_member_uint(j, "windows_without_data", p->without_data);
    jsonw_member_uint(j, "windows_incomplete", p->incomplete);
    jsonw_member_uint(j, "count", p->count);
    jsonw_key(j, "firings");
    jsonw_array(j);
    for (uint32_t i = 0; i < p->count && !p->writer.full; i++)
        put_firing(p, &p->list[i]);
    jsonw_array_end(j);
    question_put_complete(j, &p->missing, p->rule->type, cut);
    jsonw_object_end(j);
}

static void answer(struct preview *p)
{
    struct http *h = p->http;
    const char *points = http_parameter(h, "points", NULL);
    struct error e;
    if (http_write_begin(h, &p->writer))
        return;
    p->points = points && !strcmp(points, "true");
    p->samples = (struct alert_samples){
        .store = h->server->store, .patterns = patterns_new(), .is_gone = http_is_gone, .client = h, .until_ns = p->question->q.until_ns};
    jsonw_object(&p->writer.json);
    jsonw_key(&p->writer.json, "points");
    jsonw_array(&p->writer.json);
    int rc = p->samples.patterns ? run_all(p, &e) : error_set(&e, -ENOMEM, "out of memory");
    if (rc) {
        http_write_abandon(&p->writer);
        question_failed(h, rc, &e);
    } else {
        put_rest(p);
        http_write_end(h, &p->writer, HTTP_OK, "application/json");
    }
    samples_deinit(&p->samples);
    patterns_free(p->samples.patterns);
    values_deinit(&p->values);
    free(p->list);
}

/* Reads the step: the rule's interval or a multiple of it. Without the parameter it is the shortest that needs at most
 * WINDOWS_MAX windows. */
static int read_step(struct preview *p)
{
    const char *text = http_parameter(p->http, "step", NULL);
    int64_t interval = p->rule->interval, span = p->question->q.to - p->question->q.from;
    if (text && *text && (times_parse_step(text, &p->step) || p->step % interval)) {
        http_error(p->http, HTTP_BAD_REQUEST, "step: '%.40s' is not a multiple of the rule's interval, %llds", text, (long long)interval);
        return -EINVAL;
    }
    if (!p->step)
        p->step = (span / WINDOWS_MAX + interval) / interval * interval;
    if (span / p->step > WINDOWS_MAX) {
        http_error(p->http, HTTP_BAD_REQUEST, "step: more than %d windows; make it longer", WINDOWS_MAX);
        return -EINVAL;
    }
    return 0;
}

/* Reads the parameter `draft`: a rule that is not in the file. A server without such a file previews it, too. */
static bool read_draft(struct http *h, const char *text, size_t n, struct alert_rule *rule)
{
    struct alerts *a = h->server->alerts;
    struct error e;
    int rc = strlen(text) == n ? 0 : error_set(&e, -EINVAL, "draft: it has a zero byte");
    if (a)
        pthread_mutex_lock(&a->lock);
    rc = rc ? rc : rules_draft(rule, text, a ? &a->rules : NULL, &e);
    if (a)
        pthread_mutex_unlock(&a->lock);
    if (rc)
        http_error(h, HTTP_BAD_REQUEST, "%s", e.text);
    return !rc;
}

/* Finds the rule that is asked for. Returns false if it has already answered with an error. */
static bool read_rule(struct http *h, struct alert_rule *rule)
{
    size_t n = 0;
    const char *name = http_parameter(h, "rule", NULL), *draft = http_parameter(h, "draft", &n);
    if (draft && *draft)
        return read_draft(h, draft, n, rule);
    if (!answer_has_alerts(h))
        return false;
    if (name && *name)
        return answer_find_rule(h, name, HTTP_BAD_REQUEST, rule);
    http_error(h, HTTP_BAD_REQUEST, "rule: the name of a rule is missing");
    return false;
}

void alerts_preview(struct http *h)
{
    struct alert_rule rule;
    struct question question;
    if (!read_rule(h, &rule))
        return;
    struct preview p = {.http = h, .rule = &rule, .question = &question};
    if (!question_init(&question, h) && !read_step(&p))
        answer(&p);
    question_deinit(&question);
}
