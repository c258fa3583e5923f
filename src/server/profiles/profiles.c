#include "server/profiles/profiles.h"

#include "base/text/pattern.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/logs/line.h"
#include "server/profiles/daemons.h"
#include "server/profiles/requests.h"
#include "server/request/question.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How long daemons wait between two polls. It doubles while there are more than POLLS_MANY polls a second, and halves below POLLS_FEW. */
enum { AFTER_LEAST_S = 5, AFTER_MOST_S = 120, POLLS_MANY = 100, POLLS_FEW = 30, RATE_S = 10, OFFERS_MAX = 8, HOST_MAX = 256 };
enum { JVMS_MAX = 1000 }; /* of a daemon; matching takes time in which no other daemon is heard */

struct profiles {
    struct server *server;
    void (*tell)(const char *text);
    pthread_mutex_t lock; /* protects the other members */
    struct requests requests;
    struct daemons daemons;
    bool unsaved; /* a change is not in the file yet, because it could not be written */
    int64_t after, rate_begun;
    uint32_t polls; /* since rate_begun */
};

static int64_t wall_clock(void)
{
    return (int64_t)(clock_realtime_ns() / NS_PER_S);
}

int profiles_start(struct profiles **out, struct server *server, void (*tell)(const char *text), struct error *e)
{
    struct profiles *p = calloc(1, sizeof *p);
    *out = p;
    if (!p)
        return error_set(e, -ENOMEM, "out of memory");
    p->server = server;
    p->tell = tell;
    p->after = AFTER_LEAST_S;
    pthread_mutex_init(&p->lock, NULL);
    if (daemons_init(&p->daemons))
        return error_set(e, -ENOMEM, "out of memory");
    int rc = requests_open(&p->requests, server->options->data, wall_clock(), e);
    if (rc != -EBADMSG)
        return rc;
    tell(e->text);
    return 0;
}

void profiles_stop(struct profiles *p)
{
    if (!p)
        return;
    requests_close(&p->requests);
    daemons_deinit(&p->daemons);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* ---- asking ---- */

/* Writes the file. Later messages of daemons do it if it cannot be written now. */
static int save(struct profiles *p, struct error *e)
{
    int rc = requests_save(&p->requests, e);
    p->unsaved = rc != 0;
    return rc;
}

int64_t profiles_want(struct profiles *p, const struct wanted *w, struct error *e)
{
    char text[900], clean[900];
    pthread_mutex_lock(&p->lock);
    int64_t id = requests_add(&p->requests, w, wall_clock(), e);
    int rc = id > 0 ? save(p, e) : 0;
    if (rc)
        requests_take_back(&p->requests);
    pthread_mutex_unlock(&p->lock);
    if (rc || id < 0)
        return rc ? rc : id;
    snprintf(text, sizeof text, "profile on demand %" PRId64 ": %s wants %s of %.300s for %" PRId64 " s, of %u JVMs at most", id, w->by,
             w->events, w->select, w->seconds, w->jvms);
    p->tell(line_clean(text, clean, sizeof clean));
    return id;
}

void profiles_ask(struct http *h, const char *body, size_t n)
{
    struct wanted w;
    struct error e;
    struct http_writer out;
    if (wanted_read(&w, body, n, &e)) {
        http_error(h, HTTP_BAD_REQUEST, "%s", e.text);
        return;
    }
    snprintf(w.by, sizeof w.by, "%s", *h->token.holder ? h->token.holder : "anybody");
    snprintf(w.services, sizeof w.services, "%s", h->token.services);
    int64_t id = profiles_want(h->server->profiles, &w, &e);
    if (id == -EBUSY)
        http_error(h, HTTP_TOO_MANY_REQUESTS, "%s", e.text);
    else if (id < 0)
        question_failed(h, (int)id, &e);
    else if (!http_write_begin(h, &out)) {
        jsonw_object(&out.json);
        jsonw_member_uint(&out.json, "id", (uint64_t)id);
        jsonw_object_end(&out.json);
        http_write_end(h, &out, HTTP_OK, "application/json");
    }
}

/* ---- the list of requests ---- */

static void put_text(struct jsonw *j, const json_t *object, const char *key)
{
    jsonw_member_text_or_null(j, key, json_string_value(json_object_get(object, key)));
}

static void put_int(struct jsonw *j, const json_t *object, const char *key)
{
    jsonw_key(j, key);
    jsonw_int(j, json_integer_value(json_object_get(object, key)));
}

static void put_task(struct jsonw *j, const json_t *request, const json_t *task, int64_t now)
{
    jsonw_object(j);
    put_text(j, task, "host");
    put_text(j, task, "service");
    put_text(j, task, "jvm");
    jsonw_member_text(j, "state", requests_task_state(request, task, now));
    put_text(j, task, "reason");
    put_int(j, task, "since");
    put_int(j, task, "heard");
    jsonw_object_end(j);
}

static void put_request(struct jsonw *j, const json_t *request, int64_t now)
{
    static const char *const texts[] = {"select", "events", "interval", "by"}, *const numbers[] = {"seconds", "jvms", "created", "until"};
    char label[48];
    const json_t *tasks = json_object_get(request, "tasks");
    jsonw_object(j);
    put_int(j, request, "id");
    jsonw_member_text(j, "state", requests_state(request, now));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_text(j, request, texts[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_int(j, request, numbers[i]);
    jsonw_member_number(j, "share", json_number_value(json_object_get(request, "share")));
    snprintf(label, sizeof label, "on_demand=\"%lld\"", (long long)json_integer_value(json_object_get(request, "id")));
    jsonw_member_text(j, "recordings", label);
    jsonw_key(j, "tasks");
    jsonw_array(j);
    for (size_t i = 0; i < json_array_size(tasks); i++)
        put_task(j, request, json_array_get(tasks, i), now);
    jsonw_array_end(j);
    jsonw_object_end(j);
}

/* A token that is for some services sees the requests that were made with such a token for the same services. */
static bool may_see(const struct http *h, const json_t *request)
{
    const char *services = json_string_value(json_object_get(request, "services"));
    return !token_is_bound(&h->token) || (services && !strcmp(services, h->token.services));
}

void profiles_answer(struct http *h)
{
    struct profiles *p = h->server->profiles;
    struct http_writer w;
    int64_t now = wall_clock();
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    jsonw_key(&w.json, "profiles");
    jsonw_array(&w.json);
    pthread_mutex_lock(&p->lock);
    for (size_t i = json_array_size(p->requests.list); i-- > 0 && !w.full;)
        if (may_see(h, json_array_get(p->requests.list, i)))
            put_request(&w.json, json_array_get(p->requests.list, i), now);
    pthread_mutex_unlock(&p->lock);
    jsonw_array_end(&w.json);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

/* ---- daemons ---- */

void profiles_daemons(struct http *h)
{
    struct profiles *p = h->server->profiles;
    struct http_writer w;
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    pthread_mutex_lock(&p->lock);
    daemons_put(&w.json, &p->daemons, h->token.services, wall_clock());
    pthread_mutex_unlock(&p->lock);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

/* Returns when the daemon should ask again. */
static int64_t count_poll(struct profiles *p, int64_t now)
{
    p->polls++;
    if (now - p->rate_begun >= RATE_S || now < p->rate_begun) {
        if (p->polls > POLLS_MANY * RATE_S)
            p->after = p->after * 2 < AFTER_MOST_S ? p->after * 2 : AFTER_MOST_S;
        else if (p->polls < POLLS_FEW * RATE_S)
            p->after = p->after / 2 > AFTER_LEAST_S ? p->after / 2 : AFTER_LEAST_S;
        p->polls = 0;
        p->rate_begun = now;
    }
    return p->after;
}

/* Matches one of the daemon's JVMs, if the token may speak of its service. Labels that nobody could send make no match. */
static int match(json_t *pending, const char *services, const char *host, const json_t *one, int64_t now, json_t *offers, bool *changed)
{
    const char *id = json_string_value(json_object_get(one, "id")), *text = json_string_value(json_object_get(one, "labels"));
    struct labels labels = {0};
    struct error e;
    int rc = id && *id && strlen(id) < 64 && text ? labels_read(&labels, text, strlen(text), &e) : -EINVAL;
    const struct requests_jvm jvm = {.host = host,
                                     .id = id,
                                     .service = labels_get(&labels, "service"),
                                     .refuses = json_string_value(json_object_get(one, "refuses")),
                                     .labels = &labels};
    if (!rc && pattern_matches(services, jvm.service))
        rc = requests_match(pending, &jvm, now, offers, changed);
    labels_deinit(&labels);
    return rc == -ENOMEM ? rc : 0;
}

/* Takes a daemon's reports, and collects its new tasks. Returns 0, or a code with a message in e. */
static int take(struct profiles *p, const struct token *token, const json_t *body, json_t *offers, struct error *e)
{
    const char *host = json_string_value(json_object_get(body, "host"));
    const json_t *jvms = json_object_get(body, "jvms"), *tasks = json_object_get(body, "tasks");
    int64_t now = wall_clock();
    bool changed = false;
    int rc;
    for (size_t i = 0; i < json_array_size(tasks); i++)
        requests_report(&p->requests, host, json_array_get(tasks, i), token->services, now, &changed);
    json_t *pending = requests_pending(&p->requests, now);
    size_t n = json_array_size(jvms) < JVMS_MAX ? json_array_size(jvms) : JVMS_MAX;
    rc = pending ? 0 : -ENOMEM;
    for (size_t i = 0; !rc && json_array_size(pending) && i < n && json_array_size(offers) < OFFERS_MAX; i++)
        rc = match(pending, token->services, host, json_array_get(jvms, i), now, offers, &changed);
    json_decref(pending);
    while (json_array_size(offers) > OFFERS_MAX) /* the rest comes with the next answer */
        json_array_remove(offers, json_array_size(offers) - 1);
    p->unsaved = p->unsaved || changed;
    if (rc)
        return error_set(e, rc, "out of memory");
    return p->unsaved ? save(p, e) : 0;
}

static void answer_poll(struct http *h, int64_t after, json_t *offers)
{
    json_t *json = json_pack("{s:I,s:O}", "after", (json_int_t)after, "tasks", offers);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    if (text)
        http_bytes(h, HTTP_OK, "application/json", text, strlen(text));
    else
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "out of memory");
}

void profiles_poll(struct http *h, const char *bytes, size_t n)
{
    struct profiles *p = h->server->profiles;
    struct error e;
    json_t *body = json_loadb(bytes, n, 0, NULL), *offers = json_array();
    const char *host = json_string_value(json_object_get(body, "host"));
    if (!host || !*host || strlen(host) > HOST_MAX || !offers) {
        http_error(h, HTTP_BAD_REQUEST, "the body is not like {\"host\": \"web-1\", \"jvms\": [], \"tasks\": []}");
    } else {
        pthread_mutex_lock(&p->lock);
        daemons_hear(&p->daemons, h->token.services, body, wall_clock());
        int rc = take(p, &h->token, body, offers, &e);
        int64_t after = count_poll(p, wall_clock());
        pthread_mutex_unlock(&p->lock);
        if (rc)
            question_failed(h, rc, &e);
        else
            answer_poll(h, json_array_size(offers) == OFFERS_MAX ? 1 : after, offers);
    }
    json_decref(offers);
    json_decref(body);
}
