#include "server/answers/routes.h"

#include "base/text/units.h"
#include "compress/intake.h"
#include "server/answers/health.h"
#include "server/answers/holders.h"
#include "server/alerts/alerts.h"
#include "server/alerts/calls/rule_calls.h"
#include "server/alerts/calls/silence_calls.h"
#include "server/answers/metrics.h"
#include "server/answers/pages.h"
#include "server/answers/permit.h"
#include "server/answers/query.h"
#include "server/answers/receive.h"
#include "server/answers/storage.h"
#include "server/connect/connect.h"
#include "server/legacy/legacy.h"
#include "server/answers/viewed.h"
#include "server/fleet/functions.h"
#include "server/fleet/changes.h"
#include "server/fleet/endpoints.h"
#include "server/fleet/findings.h"
#include "server/metrics/key_metrics.h"
#include "server/metrics/scrape.h"
#include "server/metrics/search.h"
#include "server/profiles/profiles.h"
#include "server/pull/pull.h"
#include "server/fleet/services.h"
#include "server/spans/spans.h"
#include "server/fleet/top.h"
#include "server/logs/audit.h"
#include "server/logs/line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A token that is for some services only is valid for every route without OF_ALL. So an answer must take its data about services from a
 * selector that question_selector has read, or ask pattern_matches(h->token.services, NAME). */
static const struct route {
    const char *path;
    unsigned scope; /* the required permission; 0 = none; or OF_ALL */
    void (*answer)(struct http *h);
} routes[] = {
    {"/v1/services", TOKEN_READ, services_answer},
    {"/v1/functions", TOKEN_READ, functions_answer},
    {"/v1/functions/series", TOKEN_READ, functions_series_answer},
    {"/v1/top", TOKEN_READ, top_answer},
    {"/v1/endpoints", TOKEN_READ, endpoints_answer},
    {"/v1/spans", TOKEN_READ, spans_answer},
    {"/v1/changes", TOKEN_READ, changes_answer},
    {"/v1/findings", TOKEN_READ, findings_answer},
    {"/v1/series", TOKEN_READ, query_series},
    {"/v1/methods", TOKEN_READ, query_methods},
    {"/v1/flamegraph", TOKEN_READ, query_flamegraph},
    {"/v1/profile", TOKEN_READ, query_profile},
    {"/v1/recordings", TOKEN_READ, query_recordings},
    {"/v1/metrics", TOKEN_READ, key_metrics_answer},
    {"/v1/metrics/prometheus", TOKEN_READ, scrape_answer},
    {"/v1/search", TOKEN_READ, search_answer},
    {"/v1/storage", TOKEN_READ, storage_answer},
    {"/v1/tokens", TOKEN_ADMIN | OF_ALL, holders_answer},
    {"/v1/profiles", TOKEN_READ, profiles_answer},
    {"/v1/daemons", TOKEN_READ, profiles_daemons},
    {"/v1/pull", TOKEN_READ, pull_answer},
    {"/v1/alerts", TOKEN_READ | OF_ALL, alerts_answer},
    {"/v1/alerts/preview", TOKEN_READ | OF_ALL, alerts_preview},
    {"/v1/alerts/silences", TOKEN_READ | OF_ALL, silence_calls_list},
    {"/pyroscope/render", TOKEN_READ, legacy_render},
    {"/pyroscope/render-diff", TOKEN_READ, legacy_render_diff},
    {"/pyroscope/label-names", TOKEN_READ, legacy_label_names},
    {"/pyroscope/label-values", TOKEN_READ, legacy_label_values},
    {"/metrics", TOKEN_READ | OF_ALL, metrics_answer},
    {"/healthz", 0, health_alive},
    {"/readyz", 0, health_ready},
    {"/", TOKEN_READ, pages_fleet},
    {"/fleet.js", TOKEN_READ, pages_script},
    {"/fleet.css", TOKEN_READ, pages_style},
};

enum { CALL_BYTES_MAX = 1 << 20 };

/* Requests to the server with a body that fits into memory. A host's token may write, but must not silence alerts. So that needs both
 * scopes. */
static const struct command {
    const char *path;
    unsigned scope;
    void (*answer)(struct http *h, const char *body, size_t n);
    bool is_question; /* it changes nothing; the body is a recording of at most --max-body */
} commands[] = {
    {"/v1/page", TOKEN_READ, viewed_sent, true},
    {"/v1/profiles", TOKEN_PROFILE, profiles_ask},
    {"/v1/profiles/poll", TOKEN_WRITE, profiles_poll},
    {"/v1/alerts/rules", TOKEN_READ | TOKEN_WRITE | OF_ALL, rule_calls_save},
    {"/v1/alerts/rules/delete", TOKEN_READ | TOKEN_WRITE | OF_ALL, rule_calls_delete},
    {"/v1/alerts/silences", TOKEN_READ | TOKEN_WRITE | OF_ALL, silence_calls_begin},
    {"/v1/alerts/silences/end", TOKEN_READ | TOKEN_WRITE | OF_ALL, silence_calls_end},
};

static const struct command *find_command(const struct http *h)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(h->path, commands[i].path) && !strcmp(h->method, "POST"))
            return &commands[i];
    return NULL;
}

/* Whether the body is a recording to look at. */
static bool is_question(const struct http *h)
{
    const struct command *c = find_command(h);
    return c && c->is_question;
}

/* The paths that a number, or another name of one thing, follows. */
static const struct numbered {
    const char *path;
    void (*answer)(struct http *h, const char *number);
} numbered[] = {
    {"/v1/recordings/", query_recording},
    {"/v1/findings/", findings_answer_one},
    {"/v1/spans/", spans_answer_trace},
};

static const char findings[] = "/v1/findings/", legacy[] = "/pyroscope/";

static const struct numbered *find_numbered(const char *path)
{
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
        if (!strncmp(path, numbered[i].path, strlen(numbered[i].path)))
            return &numbered[i];
    return NULL;
}

static void get(struct http *h)
{
    const struct route *route = NULL;
    const struct numbered *one = find_numbered(h->path);
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (!strcmp(routes[i].path, h->path))
            route = &routes[i];
    if (!route && !one) {
        if (!permit(h, TOKEN_READ))
            http_error(h, HTTP_NOT_FOUND, "this path does not exist; docs/formats/server-api.md lists all paths");
        return;
    }
    if (permit(h, one ? TOKEN_READ : route->scope))
        return;
    uint64_t begun = clock_monotonic_ns();
    if (one)
        one->answer(h, h->path + strlen(one->path));
    else
        route->answer(h);
    if (routes_is_query(h))
        counters_query(&h->server->counters, clock_monotonic_ns() - begun);
}

/* Refuses a body with Content-Encoding (the recording itself may be packed). Returns true if it has answered with an error. */
static bool is_packed(struct http *h)
{
    if (h->head.packed)
        http_error(h, HTTP_BAD_REQUEST, "Content-Encoding: not supported here; send a compressed recording as it is, without this header");
    return h->head.packed;
}

static void begin_call(struct http *h)
{
    if (permit(h, connect_is_open(h->path) ? 0 : TOKEN_READ))
        return;
    buffer_init(&h->message, CALL_BYTES_MAX);
    h->takes_body = true;
}

/* Has the configuration read again, as SIGHUP does. */
static void reload(struct http *h)
{
    static const char text[] = "{\"status\": \"the log reports the result\"}\n";
    if (permit(h, TOKEN_ADMIN | OF_ALL))
        return;
    stop_reload(&h->server->stop);
    http_content(h, HTTP_ACCEPTED, "application/json", (struct http_content){.bytes = text, .n = sizeof text - 1});
}

static bool is_finding(const struct http *h)
{
    return !strncmp(h->path, findings, sizeof findings - 1);
}

/* A token of a host may write, but must not silence findings. So a change needs both scopes. */
static void begin_change(struct http *h)
{
    if (permit(h, TOKEN_READ | TOKEN_WRITE) || is_packed(h))
        return;
    buffer_init(&h->message, FINDINGS_BODY_MAX);
    h->takes_body = true;
}

static uint64_t most_of(const struct http *h, const struct command *c)
{
    return c->is_question ? h->server->limits.max_body : CALL_BYTES_MAX;
}

static void begin_command(struct http *h, const struct command *c)
{
    if (permit(h, c->scope) || is_packed(h))
        return;
    buffer_init(&h->message, most_of(h, c));
    h->takes_body = true;
}

static void post(struct http *h)
{
    enum receive_kind kind = receive_kind(h->path);
    if (!strcmp(h->path, "/v1/reload")) {
        reload(h);
        return;
    }
    if (kind == RECEIVE_NOTHING && connect_is(h->path)) {
        begin_call(h);
        return;
    }
    if (kind == RECEIVE_NOTHING && is_finding(h)) {
        begin_change(h);
        return;
    }
    if (kind == RECEIVE_NOTHING && find_command(h)) {
        begin_command(h, find_command(h));
        return;
    }
    if (kind == RECEIVE_NOTHING && alerts_test_path(h->path)) {
        if (!permit(h, TOKEN_WRITE | OF_ALL))
            alerts_test(h);
        return;
    }
    if (kind == RECEIVE_NOTHING) {
        http_error(h, HTTP_NOT_FOUND, "nothing can be sent here; POST /v1/recordings, /v1/profiles or /v1/findings/ID");
        return;
    }
    if (permit(h, TOKEN_WRITE)) {
        receive_not_allowed(h, kind);
        return;
    }
    if (kind != RECEIVE_MESSAGE && is_packed(h))
        return;
    receive_begin(h, kind);
    h->takes_body = h->receive != NULL;
}

/* Whether the request is to change something. Recordings that are sent do not count. */
static bool is_change(const struct http *h)
{
    const struct command *request = find_command(h);
    return !strcmp(h->method, "POST") &&
           (!strcmp(h->path, "/v1/reload") || is_finding(h) || alerts_test_path(h->path) ||
            (request && !request->is_question && request->scope != TOKEN_WRITE)); /* daemons poll with that scope */
}

/* Notes a change, once it is answered, in the audit log. */
static void note_change(struct http *h)
{
    char change[LINE_TEXT_MAX];
    if (!h->answered || !is_change(h) || !h->server->audit)
        return;
    snprintf(change, sizeof change, "%.*s", (int)h->message.len, h->message.len ? (const char *)h->message.data : "");
    audit_request(h->server->audit, &(struct audit_request){.token = h->token.holder,
                                                            .address = h->address ? h->address : "",
                                                            .method = h->method,
                                                            .path = h->path,
                                                            .change = change,
                                                            .problem = h->problem,
                                                            .status = h->status});
}

/* Whether a server without a store (--receive-only) answers the request. */
static bool is_of_receiver(const struct http *h)
{
    static const char *const paths[] = {"/metrics", "/healthz", "/readyz", "/v1/tokens", "/v1/reload"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (!strcmp(h->path, paths[i]))
            return true;
    return connect_is_open(h->path) || (!strcmp(h->method, "POST") && receive_kind(h->path) != RECEIVE_NOTHING);
}

/* Refuses requests to a server without a store. It takes nothing from others like it: two that name each other, or one that names itself,
 * would acknowledge a recording to each other until nobody has it. With this status, the recording waits there. Returns whether it has
 * answered. */
static bool refuse_as_receiver(struct http *h)
{
    if (h->server->store)
        return false;
    if (receive_kind(h->path) == RECEIVE_FORWARDED)
        http_error(h, HTTP_NOT_FOUND,
                   "this server keeps no recordings (--receive-only), so none can be forwarded to it; name the servers that keep them");
    else if (!is_of_receiver(h))
        http_error(h, HTTP_NOT_FOUND, "this server only receives recordings (--receive-only); ask one that keeps them");
    return h->answered;
}

void routes_begin(struct http *h)
{
    bool refused = refuse_as_receiver(h);
    if (!refused && !strcmp(h->method, "POST"))
        post(h);
    else if (!refused && (!strcmp(h->method, "GET") || !strcmp(h->method, "HEAD")))
        get(h);
    else if (!refused)
        http_error(h, HTTP_METHOD_NOT_ALLOWED, "GET or POST");
    note_change(h);
}

void routes_body(struct http *h, const char *bytes, size_t n)
{
    if (h->receive)
        receive_some(h, bytes, n);
    else if (is_question(h))
        viewed_take(h, bytes, n);
    else
        buffer_put(&h->message, bytes, n);
}

/* Answers a call whose message is packed. */
static void answer_packed(struct http *h)
{
    struct intake in;
    struct error e;
    int rc = intake_open_memory_within(&in, h->message.data, h->message.len, CALL_BYTES_MAX, "the message", &e);
    if (rc) {
        connect_error(h, rc == -EFBIG ? "resource_exhausted" : "invalid_argument", e.text);
        return;
    }
    if (!in.codec || *in.damage)
        connect_error(h, "invalid_argument", in.codec ? in.damage : "the message is not packed, but its headers say so");
    else
        connect_answer(h, in.bytes, in.size);
    intake_close(&in);
}

static void end_call(struct http *h)
{
    uint64_t begun = clock_monotonic_ns();
    if (h->message.failed)
        connect_error(h, "resource_exhausted", "the message is longer than 1 MiB");
    else if (h->head.packed)
        answer_packed(h);
    else
        connect_answer(h, h->message.data, h->message.len);
    counters_query(&h->server->counters, clock_monotonic_ns() - begun);
}

static void end_change(struct http *h)
{
    if (h->message.failed)
        http_error(h, HTTP_CONTENT_TOO_LARGE, "the body has more than %d bytes", FINDINGS_BODY_MAX);
    else
        findings_change(h, h->path + sizeof findings - 1, (const char *)h->message.data, h->message.len);
}

static void end_command(struct http *h)
{
    const struct command *c = find_command(h);
    uint64_t begun = clock_monotonic_ns();
    if (buffer_code(&h->message) == -ENOMEM)
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "too much is being sent at once");
    else if (h->message.failed)
        http_error(h, HTTP_CONTENT_TOO_LARGE, "the body has more than %" PRIu64 " bytes%s", most_of(h, c),
                   c->is_question ? " (--max-body)" : "");
    else
        c->answer(h, (const char *)h->message.data, h->message.len);
    if (c->is_question)
        counters_query(&h->server->counters, clock_monotonic_ns() - begun);
}

void routes_body_end(struct http *h)
{
    if (h->receive)
        receive_end(h);
    else if (h->takes_body && !h->answered && is_finding(h))
        end_change(h);
    else if (h->takes_body && !h->answered && find_command(h))
        end_command(h);
    else if (h->takes_body && !h->answered)
        end_call(h);
    note_change(h);
}

void routes_drop(struct http *h)
{
    if (h->receive)
        receive_free(h);
    buffer_deinit(&h->message);
    viewed_drop(h);
    h->takes_body = false;
}

bool routes_is_query(const struct http *h)
{
    if (receive_kind(h->path) == RECEIVE_MESSAGE)
        return false;
    bool posted = !strcmp(h->method, "POST"), is_query = !strncmp(h->path, "/v1/", 4) || !strncmp(h->path, legacy, sizeof legacy - 1);
    return connect_is(h->path) || alerts_test_path(h->path) || is_question(h) || (is_query && !posted);
}

enum route_group routes_group(const struct http *h)
{
    if (!strcmp(h->method, "POST") && receive_kind(h->path) != RECEIVE_NOTHING)
        return GROUP_SEND;
    if (connect_is(h->path) || !strncmp(h->path, legacy, sizeof legacy - 1))
        return GROUP_CALL;
    if (!strncmp(h->path, "/v1/", 4))
        return GROUP_QUERY;
    return !strcmp(h->path, "/") || !strncmp(h->path, "/fleet.", 7) ? GROUP_PAGE : GROUP_OTHER;
}
