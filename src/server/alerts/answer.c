/* Answers /v1/alerts: rules with the state of their alerts, and targets; and sends a test. */
#include "base/text/hex.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/alerts/alerts_internal.h"
#include "server/alerts/answer.h"
#include "server/alerts/tell/body.h"

#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "/v1/alerts/", suffix[] = "/test";

static void put_int(struct jsonw *j, const char *key, int64_t v)
{
    jsonw_key(j, key);
    jsonw_int(j, v);
}

bool answer_has_alerts(struct http *h)
{
    if (!h->server->alerts)
        http_error(h, HTTP_BAD_REQUEST, "this server has no rules of alerts: start it with --alerts FILE");
    return h->server->alerts != NULL;
}

void answer_put_figure(struct jsonw *j, const struct alert_figure *f)
{
    jsonw_key(j, "value");
    if (f->known)
        jsonw_number(j, f->value);
    else
        jsonw_null(j);
    if (f->known) {
        jsonw_member_number(j, "low", f->low);
        jsonw_member_number(j, "high", f->high);
    }
    if (*f->method)
        jsonw_member_text(j, "method", f->method);
    jsonw_member_uint(j, "samples", f->samples);
}

/* ---- GET /v1/alerts ---- */

static void put_told(struct jsonw *j, const struct alerts *a, const struct alert *alert)
{
    jsonw_key(j, "sent");
    jsonw_object(j);
    for (uint32_t i = 0; i < a->rules.target_count; i++) {
        if (alert->told[i].what == ALERT_INACTIVE)
            continue;
        jsonw_key(j, a->rules.targets[i].name);
        jsonw_object(j);
        jsonw_member_text(j, "state", alert_states[alert->told[i].what]);
        put_int(j, "at", alert->told[i].when);
        jsonw_object_end(j);
    }
    jsonw_object_end(j);
}

static void put_alert(struct jsonw *j, const struct alerts *a, const struct alert_rule *rule, const struct alert *alert)
{
    const struct alert_note note = {.rule = rule, .alert = alert};
    int64_t silence = silences_find(&a->silences, rule->name, alert->value, (int64_t)(clock_realtime_ns() / NS_PER_S));
    char text[1024], fingerprint[ALERT_FINGERPRINT];
    jsonw_object(j);
    if (alert->value)
        jsonw_member_text(j, "of", alert->value);
    jsonw_key(j, "labels");
    message_put_labels(j, &note, false);
    jsonw_member_text(j, "fingerprint", message_fingerprint(&note, fingerprint));
    jsonw_member_text(j, "state", alert_states[alert->state]);
    put_int(j, "since", alert->since);
    put_int(j, "at", alert->at);
    if (alert->started)
        put_int(j, "started", alert->started);
    if (alert->ended)
        put_int(j, "ended", alert->ended);
    jsonw_key(j, "quiet");
    jsonw_bool(j, alert->state == ALERT_FIRING && !alert->announced);
    jsonw_key(j, "silence");
    if (silence)
        jsonw_int(j, silence);
    else
        jsonw_null(j);
    answer_put_figure(j, &alert->figure);
    jsonw_member_text(j, "text", message_describe(rule, alert, text, sizeof text));
    put_told(j, a, alert);
    question_put_complete(j, &alert->figure.missing, rule->type, false);
    jsonw_object_end(j);
}

static void put_texts(struct jsonw *j, const char *key, const struct alert_text *list, uint32_t count)
{
    jsonw_key(j, key);
    jsonw_object(j);
    for (uint32_t i = 0; i < count; i++)
        jsonw_member_text(j, list[i].name, list[i].value);
    jsonw_object_end(j);
}

static void put_quiet(struct jsonw *j, const struct alert_rule *r)
{
    char text[QUIET_TEXT];
    jsonw_key(j, "quiet");
    jsonw_array(j);
    for (uint32_t i = 0; i < r->quiet_count; i++)
        jsonw_text(j, quiet_text(&r->quiet[i], text));
    jsonw_array_end(j);
}

void answer_put_rule(struct jsonw *j, const struct alert_rule *r, const struct keep_list *kept)
{
    jsonw_member_text(j, "name", r->name);
    jsonw_member_text(j, "select", r->select);
    jsonw_member_text_or_null(j, "each", r->each);
    jsonw_member_text(j, "value", r->source->name);
    jsonw_member_text_or_null(j, "method", r->method);
    jsonw_member_text(j, "type", r->type);
    jsonw_member_text(j, r->below ? "below" : "above", r->threshold_text);
    jsonw_member_text(j, "resolve", *r->resolve_text ? r->resolve_text : r->threshold_text);
    jsonw_member_text_or_null(j, "baseline", r->baseline);
    jsonw_member_text_or_null(j, "action", r->action);
    keep_put(j, r, kept);
    put_int(j, "window", r->window);
    put_int(j, "interval", r->interval);
    put_int(j, "delay", r->delay);
    put_int(j, "for", r->hold);
    put_int(j, "no_data", r->no_data);
    put_quiet(j, r);
    jsonw_member_text_or_null(j, "to", r->to);
    put_texts(j, "labels", r->labels, r->label_count);
    put_texts(j, "annotations", r->annotations, r->annotation_count);
}

const char *answer_version(const struct alert_rule *r, char out[ANSWER_VERSION])
{
    uint8_t digest[32];
    char *text = NULL;
    size_t n = 0;
    struct jsonw j;
    FILE *file = open_memstream(&text, &n);
    if (!file)
        return NULL;
    jsonw_init(&j, file);
    jsonw_object(&j);
    answer_put_rule(&j, r, NULL);
    jsonw_object_end(&j);
    jsonw_finish(&j);
    bool good = !fclose(file) && !gnutls_hash_fast(GNUTLS_DIG_SHA256, text, n, digest);
    free(text);
    if (good)
        hex_put(out, digest, (ANSWER_VERSION - 1) / 2);
    return good ? out : NULL;
}

static void put_rule(struct jsonw *j, const struct alerts *a, uint32_t index, const struct keep_list *kept)
{
    const struct alert_rule *r = &a->rules.list[index];
    const struct alert_status *s = &a->status[index];
    char version[ANSWER_VERSION];
    jsonw_object(j);
    answer_put_rule(j, r, kept);
    jsonw_member_text_or_null(j, "version", answer_version(r, version));
    put_int(j, "last", s->last);
    put_int(j, "next", s->last ? s->last + r->interval + r->delay : 0);
    jsonw_member_text_or_null(j, "error", s->problem);
    jsonw_key(j, "more_values");
    jsonw_bool(j, s->cut);
    jsonw_key(j, "alerts");
    jsonw_array(j);
    for (uint32_t i = table_first(&a->table, r->name); i < a->table.count && !strcmp(a->table.list[i].rule, r->name); i++)
        put_alert(j, a, r, &a->table.list[i]);
    jsonw_array_end(j);
    jsonw_object_end(j);
}

/* Writes a target. The path of its address may be a secret, so only scheme and host are shown. */
static void put_target(struct jsonw *j, const struct alerts *a, uint32_t index)
{
    const struct alert_target *t = &a->rules.targets[index];
    const struct alert_sending *s = &a->sending[index];
    char address[sizeof t->url];
    snprintf(address, sizeof address, "%s", t->url);
    char *host = strstr(address, "://"), *path = host ? strchr(host + 3, '/') : NULL;
    if (path)
        *path = 0;
    jsonw_object(j);
    jsonw_member_text(j, "name", t->name);
    jsonw_member_text(j, "type", alert_target_kinds[t->kind]);
    jsonw_member_text(j, "address", address);
    jsonw_member_uint(j, "sent", s->sent);
    jsonw_member_uint(j, "failed", s->failed);
    put_int(j, "last", s->last);
    jsonw_member_text_or_null(j, "error", s->problem);
    jsonw_object_end(j);
}

static void put_all(struct jsonw *j, const struct http_writer *w, const struct alerts *a, const struct keep_list *kept)
{
    jsonw_object(j);
    put_int(j, "read", a->read_at);
    jsonw_member_text_or_null(j, "error", a->problem);
    jsonw_key(j, "rules");
    jsonw_array(j);
    for (uint32_t i = 0; i < a->rules.count && !w->full; i++)
        put_rule(j, a, i, kept);
    jsonw_array_end(j);
    jsonw_key(j, "targets");
    jsonw_array(j);
    for (uint32_t i = 0; i < a->rules.target_count; i++)
        put_target(j, a, i);
    jsonw_array_end(j);
    jsonw_object_end(j);
}

void alerts_answer(struct http *h)
{
    struct alerts *a = h->server->alerts;
    struct http_writer w;
    struct keep_list kept;
    struct error e;
    if (!answer_has_alerts(h))
        return;
    int rc = keep_list_read(&kept, h->server->store, &e);
    if (rc)
        question_failed(h, rc, &e);
    if (!rc && !http_write_begin(h, &w)) {
        pthread_mutex_lock(&a->lock);
        put_all(&w.json, &w, a, &kept);
        pthread_mutex_unlock(&a->lock);
        http_write_end(h, &w, HTTP_OK, "application/json");
    }
    keep_list_deinit(&kept);
}

/* ---- POST /v1/alerts/NAME/test ---- */

bool alerts_test_path(const char *path)
{
    size_t n = strlen(path);
    return n > sizeof prefix + sizeof suffix - 2 && !strncmp(path, prefix, sizeof prefix - 1) &&
           !strcmp(path + n - (sizeof suffix - 1), suffix);
}

/* Copies a rule and, unless it is NULL, the targets to whose places the rule refers. */
static bool find_rule(struct http *h, const char *name, unsigned status, struct alert_rule *out, struct alert_target *targets)
{
    struct alerts *a = h->server->alerts;
    pthread_mutex_lock(&a->lock);
    const struct alert_rule *rule = rules_find(&a->rules, name);
    if (rule)
        *out = *rule;
    if (targets)
        memcpy(targets, a->rules.targets, sizeof a->rules.targets);
    pthread_mutex_unlock(&a->lock);
    if (!rule)
        http_error(h, status, "there is no rule '%.63s'; GET /v1/alerts lists them", name);
    return rule;
}

bool answer_find_rule(struct http *h, const char *name, unsigned status, struct alert_rule *out)
{
    return find_rule(h, name, status, out, NULL);
}

/* Sends the test to one target, and writes what became of it. */
static void send_test(struct alerts *a, struct jsonw *j, const struct alert_rule *rule, const struct alert_target *target)
{
    int64_t now = (int64_t)(clock_realtime_ns() / NS_PER_S);
    struct alert alert = {.state = ALERT_FIRING, .at = now, .since = now, .started = now};
    const struct alert_note note = {rule, &alert, true};
    struct error e = {"out of memory"};
    char *bytes = NULL;
    uint64_t wait;
    size_t n;
    int rc = body_make(target, &note, 1, now, &bytes, &n);
    if (!rc) {
        rc = send_body(a, target, bytes, n, &wait, &e);
        free(bytes);
    }
    jsonw_object(j);
    jsonw_member_text(j, "to", target->name);
    jsonw_key(j, "sent");
    jsonw_bool(j, !rc);
    jsonw_member_text_or_null(j, "error", rc ? e.text : NULL);
    jsonw_object_end(j);
}

void alerts_test(struct http *h)
{
    struct alerts *a = h->server->alerts;
    struct alert_target *targets = NULL;
    struct alert_rule rule;
    struct http_writer w;
    char name[ALERT_NAME_MAX + 1];
    if (!answer_has_alerts(h))
        return;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(h->path) - (sizeof prefix - 1) - (sizeof suffix - 1)), h->path + sizeof prefix - 1);
    targets = calloc(ALERT_TARGETS_MAX, sizeof *targets);
    if (!targets)
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "out of memory");
    if (!targets || !find_rule(h, name, HTTP_NOT_FOUND, &rule, targets) || http_write_begin(h, &w)) {
        free(targets);
        return;
    }
    jsonw_object(&w.json);
    jsonw_key(&w.json, "targets");
    jsonw_array(&w.json);
    for (int i = 0; i < ALERT_TARGETS_MAX; i++)
        if (rule.targets >> i & 1)
            send_test(a, &w.json, &rule, &targets[i]);
    jsonw_array_end(&w.json);
    jsonw_object_end(&w.json);
    free(targets);
    http_write_end(h, &w, HTTP_OK, "application/json");
}
