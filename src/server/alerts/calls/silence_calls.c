#include "server/alerts/calls/silence_calls.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "server/alerts/alerts_internal.h"
#include "server/alerts/answer.h"
#include "server/keeper/keeper.h"
#include "server/request/question.h"

#include <errno.h>
#include <string.h>

enum { DAY_S = 86400 };

static int64_t wall_clock(void)
{
    return (int64_t)(clock_realtime_ns() / NS_PER_S);
}

static const char *holder(const struct http *h)
{
    return *h->token.holder ? h->token.holder : "anybody";
}

/* ---- the list ---- */

static void put_int(struct jsonw *j, const char *key, const json_t *object)
{
    jsonw_key(j, key);
    jsonw_int(j, json_integer_value(json_object_get(object, key)));
}

static void put_silence(struct jsonw *j, const json_t *one, int64_t now)
{
    static const char *const texts[] = {"rule", "of", "note", "by", "ended_by"}, *const numbers[] = {"id", "created", "until"};
    jsonw_object(j);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_int(j, numbers[i], one);
    jsonw_key(j, "lasts");
    jsonw_bool(j, silences_lasts(one, now));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        jsonw_member_text_or_null(j, texts[i], json_string_value(json_object_get(one, texts[i])));
    jsonw_object_end(j);
}

void silence_calls_list(struct http *h)
{
    struct alerts *a = h->server->alerts;
    struct http_writer w;
    int64_t now = wall_clock();
    if (!answer_has_alerts(h) || http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    jsonw_key(&w.json, "silences");
    jsonw_array(&w.json);
    pthread_mutex_lock(&a->lock);
    for (size_t i = json_array_size(a->silences.list); i-- > 0 && !w.full;)
        put_silence(&w.json, json_array_get(a->silences.list, i), now);
    pthread_mutex_unlock(&a->lock);
    jsonw_array_end(&w.json);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

/* ---- changes ---- */

/* Another server's silences are those that count, and this one only has a copy. */
static bool may_change(struct http *h)
{
    struct alerts *a = h->server->alerts;
    if (!answer_has_alerts(h))
        return false;
    pthread_mutex_lock(&a->lock);
    bool may = alerts_is_keeper(a);
    pthread_mutex_unlock(&a->lock);
    if (may)
        return true;
    struct keeper_view keeper = keeper_look(h->server->keeper);
    http_error(h, HTTP_CONFLICT, "this server does not evaluate the rules of alerts: ask the keeper, which was %s at last",
               *keeper.name ? keeper.name : "nobody");
    return false;
}

/* Leaves the silences to a later keeper, and answers. */
static void put_id(struct http *h, int64_t id)
{
    struct http_writer w;
    alerts_leave(h->server->alerts);
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    jsonw_member_uint(&w.json, "id", (uint64_t)id);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

static int take_text(const char **out, const json_t *body, const char *key, size_t most, struct error *e)
{
    const json_t *v = json_object_get(body, key);
    if (!v || json_is_null(v))
        return 0;
    *out = json_string_value(v);
    if (!*out || strlen(*out) != json_string_length(v) || json_string_length(v) > most)
        return error_set(e, -EINVAL, "%s: it is a text of at most %zu bytes", key, most);
    return 0;
}

static int take_seconds(int64_t *out, const char *text, struct error *e)
{
    uint64_t ns;
    if (!text || units_parse_duration(text, &ns) || ns < NS_PER_S || ns / NS_PER_S > (uint64_t)SILENCES_DAYS_MAX * DAY_S)
        return error_set(e, -EINVAL, "for: how long the silence lasts, from 1s to %dd, such as 2h", SILENCES_DAYS_MAX);
    *out = (int64_t)(ns / NS_PER_S);
    return 0;
}

/* Reads what is wanted; its texts are those of the body. Returns 0, or -EINVAL with a message in e. */
static int read_wanted(struct silence_wanted *w, const json_t *body, struct error *e)
{
    static const char *const known[] = {"rule", "of", "for", "note"};
    const char *length = NULL;
    size_t keys = 0;
    *w = (struct silence_wanted){.note = ""};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        keys += json_object_get(body, known[i]) != NULL;
    if (!json_is_object(body) || keys != json_object_size(body))
        return error_set(e, -EINVAL,
                         "the body is not like {\"rule\": \"json-is-slow\", \"of\": \"shop\", \"for\": \"2h\", \"note\": \"...\"}");
    int rc = take_text(&w->rule, body, "rule", ALERT_NAME_MAX - 1, e);
    rc = rc ? rc : take_text(&w->of, body, "of", LABEL_VALUE_MAX, e);
    rc = rc ? rc : take_text(&w->note, body, "note", SILENCES_NOTE_MAX, e);
    rc = rc ? rc : take_text(&length, body, "for", 40, e);
    if (!rc && !w->rule && !w->of)
        rc = error_set(e, -EINVAL, "rule, of: say which alerts: those of a rule, of a value of the label each, or of both");
    return rc ? rc : take_seconds(&w->seconds, length, e);
}

static void answer_failure(struct http *h, int rc, struct error *e)
{
    if (rc == -EINVAL)
        http_error(h, HTTP_BAD_REQUEST, "%s", e->text);
    else if (rc == -EBUSY)
        http_error(h, HTTP_TOO_MANY_REQUESTS, "%s", e->text);
    else
        question_failed(h, rc, e);
}

void silence_calls_begin(struct http *h, const char *bytes, size_t n)
{
    struct alerts *a = h->server->alerts;
    struct silence_wanted w;
    struct error e;
    if (!may_change(h))
        return;
    json_t *body = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, NULL);
    int64_t id = read_wanted(&w, body, &e);
    w.by = holder(h);
    pthread_mutex_lock(&a->lock);
    if (!id && w.rule && !rules_find(&a->rules, w.rule))
        id = error_set(&e, -EINVAL, "there is no rule '%.63s'; GET /v1/alerts lists them", w.rule);
    id = id ? id : silences_add(&a->silences, &w, wall_clock(), &e);
    pthread_mutex_unlock(&a->lock);
    if (id < 0)
        answer_failure(h, (int)id, &e);
    else
        put_id(h, id);
    json_decref(body);
}

void silence_calls_end(struct http *h, const char *bytes, size_t n)
{
    struct alerts *a = h->server->alerts;
    struct error e;
    if (!may_change(h))
        return;
    json_t *body = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, NULL);
    int64_t id = json_integer_value(json_object_get(body, "id"));
    int rc = id > 0 ? 0 : error_set(&e, -EINVAL, "the body is not like {\"id\": 7}");
    pthread_mutex_lock(&a->lock);
    rc = rc ? rc : silences_end(&a->silences, id, holder(h), wall_clock(), &e);
    pthread_mutex_unlock(&a->lock);
    if (rc)
        answer_failure(h, rc, &e);
    else
        put_id(h, id);
    json_decref(body);
}
