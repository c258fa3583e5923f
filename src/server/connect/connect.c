#include "server/connect/connect.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "server/connect/call.h"
#include "server/connect/recording_id.h"
#include "server/request/question.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the calls ---- */

static const char *const aggregations[] = {"TIME_SERIES_AGGREGATION_TYPE_SUM", "TIME_SERIES_AGGREGATION_TYPE_AVERAGE", NULL};
static const char *const exemplars[] = {"EXEMPLAR_TYPE_UNSPECIFIED", "EXEMPLAR_TYPE_NONE", "EXEMPLAR_TYPE_INDIVIDUAL", "EXEMPLAR_TYPE_SPAN",
                                        NULL};

static const char *const heats[] = {"HEATMAP_QUERY_TYPE_UNSPECIFIED", "HEATMAP_QUERY_TYPE_INDIVIDUAL", "HEATMAP_QUERY_TYPE_SPAN", NULL};

static const struct asked_field of_nothing[] = {{0}};
static const struct asked_field of_types[] = {ASKED_INT_FIELD(1, "start", start), ASKED_INT_FIELD(2, "end", end), {0}};
static const struct asked_field of_names[] = {ASKED_TEXT_FIELD(1, "matchers", matchers),
                                              ASKED_INT_FIELD(2, "start", start),
                                              ASKED_INT_FIELD(3, "end", end),
                                              {0}};
static const struct asked_field of_values[] = {ASKED_TEXT_FIELD(1, "name", name),
                                               ASKED_TEXT_FIELD(2, "matchers", matchers),
                                               ASKED_INT_FIELD(3, "start", start),
                                               ASKED_INT_FIELD(4, "end", end),
                                               {0}};
static const struct asked_field of_series[] = {ASKED_TEXT_FIELD(1, "matchers", matchers),
                                               ASKED_TEXT_FIELD(2, "label_names", label_names),
                                               ASKED_INT_FIELD(3, "start", start),
                                               ASKED_INT_FIELD(4, "end", end),
                                               {0}};
static const struct asked_field of_select_series[] = {
    ASKED_TEXT_FIELD(1, "profile_typeID", profile_type),
    ASKED_TEXT_FIELD(2, "label_selector", selector),
    ASKED_INT_FIELD(3, "start", start),
    ASKED_INT_FIELD(4, "end", end),
    ASKED_TEXT_FIELD(5, "group_by", group_by),
    ASKED_DOUBLE_FIELD(6, "step", step),
    {7, "aggregation", ASKED_INT, offsetof(struct asked, aggregation), aggregations},
    {8, "stack_trace_selector", ASKED_CALL_SITE, 0, NULL},
    ASKED_INT_FIELD(9, "limit", limit),
    {10, "exemplar_type", ASKED_INT, offsetof(struct asked, exemplars), exemplars},
    {0},
};
static const struct asked_field of_heatmap[] = {
    ASKED_TEXT_FIELD(1, "profile_typeID", profile_type),
    ASKED_TEXT_FIELD(2, "label_selector", selector),
    ASKED_INT_FIELD(3, "start", start),
    ASKED_INT_FIELD(4, "end", end),
    ASKED_DOUBLE_FIELD(5, "step", step),
    ASKED_TEXT_FIELD(6, "group_by", group_by),
    {7, "query_type", ASKED_INT, offsetof(struct asked, heat), heats},
    {8, "exemplar_type", ASKED_INT, offsetof(struct asked, exemplars), exemplars},
    ASKED_INT_FIELD(9, "limit", limit),
    {0},
};
static const struct asked_field of_span_profile[] = {
    ASKED_TEXT_FIELD(1, "profile_typeID", profile_type),
    ASKED_TEXT_FIELD(2, "label_selector", selector),
    ASKED_TEXT_FIELD(3, "span_selector", span_ids),
    ASKED_INT_FIELD(4, "start", start),
    ASKED_INT_FIELD(5, "end", end),
    ASKED_INT_FIELD(6, "max_nodes", max_nodes),
    {7, "format", ASKED_INT, offsetof(struct asked, format), asked_formats},
    {0},
};
static const struct asked_field of_profile[] = {
    ASKED_TEXT_FIELD(1, "profile_typeID", profile_type),
    ASKED_TEXT_FIELD(2, "label_selector", selector),
    ASKED_INT_FIELD(3, "start", start),
    ASKED_INT_FIELD(4, "end", end),
    ASKED_INT_FIELD(5, "max_nodes", max_nodes),
    {6, "stack_trace_selector", ASKED_CALL_SITE, 0, NULL},
    ASKED_TEXT_FIELD(7, "profile_id_selector", profile_ids),
    ASKED_TEXT_FIELD(8, "trace_id_selector", trace_ids),
    {0},
};
static const struct asked_field of_diff[] = {{1, "left", ASKED_LEFT, 0, NULL}, {2, "right", ASKED_RIGHT, 0, NULL}, {0}};

static const struct asked_field of_health[] = {ASKED_TEXT_FIELD(1, "service", name), {0}};

#define QUERIER "/querier.v1.QuerierService/"
#define HEALTH  "/grpc.health.v1.Health/"

static const struct method {
    const char *path;
    const struct asked_field *fields;
    call_answer *answer;
} methods[] = {
    {QUERIER "ProfileTypes", of_types, calls_profile_types},
    {QUERIER "LabelNames", of_names, calls_label_names},
    {QUERIER "LabelValues", of_values, calls_label_values},
    {QUERIER "Series", of_series, calls_series},
    {QUERIER "SelectSeries", of_select_series, calls_select_series},
    {QUERIER "SelectHeatmap", of_heatmap, calls_heatmap},
    {QUERIER "SelectMergeStacktraces", asked_stacktraces, calls_stacktraces},
    {QUERIER "SelectMergeSpanProfile", of_span_profile, calls_span_profile},
    {QUERIER "SelectMergeProfile", of_profile, calls_profile},
    {QUERIER "Diff", of_diff, calls_diff},
    {QUERIER "GetProfileStats", of_nothing, calls_stats},
    {QUERIER "AnalyzeQuery", of_nothing, calls_nothing},
    {"/settings.v1.SettingsService/Get", of_nothing, calls_nothing},
    {"/capabilities.v1.FeatureFlagsService/GetFeatureFlags", of_nothing, calls_nothing},
    {"/version.v1.Version/Version", of_nothing, calls_version},
    {HEALTH "Check", of_health, calls_health},
};

/* The services of Connect's API. An unknown method of one of them is answered with Connect's own error, `unimplemented`. */
static const char *const services[] = {QUERIER,     "/settings.v1.",      "/capabilities.v1.", "/version.v1.",
                                       "/push.v1.", "/adhocprofiles.v1.", "/vcs.v1.",          HEALTH};

bool connect_is(const char *path)
{
    for (size_t i = 0; i < sizeof services / sizeof *services; i++)
        if (!strncmp(path, services[i], strlen(services[i])))
            return true;
    return false;
}

bool connect_is_open(const char *path)
{
    return !strncmp(path, HEALTH, strlen(HEALTH));
}

/* ---- errors ---- */

static const struct {
    const char *code;
    unsigned status, rpc; /* of HTTP, and of gRPC */
} codes[] = {
    {"invalid_argument", 400, 3}, {"unauthenticated", 401, 16},  {"permission_denied", 403, 7},
    {"not_found", 404, 5},        {"deadline_exceeded", 504, 4}, {"resource_exhausted", 429, 8},
    {"unimplemented", 501, 12},   {"unavailable", 503, 14},      {"internal", 500, 13},
};

void connect_error(struct http *h, const char *code, const char *text)
{
    struct http_writer w;
    unsigned status = 500;
    http_note_problem(h, text);
    if (http_write_begin(h, &w))
        return;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(code, codes[i].code)) {
            status = codes[i].status;
            h->rpc = codes[i].rpc;
        }
    jsonw_object(&w.json);
    jsonw_member_text(&w.json, "code", code);
    jsonw_member_text(&w.json, "message", text);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, status, "application/json");
}

const char *call_code(int rc)
{
    switch (rc) {
    case -EINVAL:
    case -E2BIG:
        return "invalid_argument";
    case -ESRCH:
        return "not_found";
    case -ENOTSUP:
        return "unimplemented";
    case -EFBIG:
        return "resource_exhausted";
    case -ETIMEDOUT:
        return "deadline_exceeded";
    case -ECANCELED:
    case -EPIPE:
    case -ENOMEM:
        return "unavailable";
    default:
        return "internal";
    }
}

/* ---- a call ---- */

enum encoding { ENCODING_NONE, ENCODING_PROTO, ENCODING_JSON };

static enum encoding encoding_of(const char *type)
{
    size_t n = strcspn(type, ";");
    while (n && type[n - 1] == ' ')
        n--;
    if (n == strlen("application/proto") && !strncasecmp(type, "application/proto", n))
        return ENCODING_PROTO;
    return n == strlen("application/json") && !strncasecmp(type, "application/json", n) ? ENCODING_JSON : ENCODING_NONE;
}

void call_say_missing(struct http *h, const struct missing *m)
{
    char text[HTTP_EXTRA_BYTES];
    http_add_text(h, "X-Candor-Complete", missing_parts(m) ? "false" : "true");
    missing_text(m, "", text, sizeof text);
    if (*text)
        http_add_text(h, "X-Candor-Missing", text);
}

static void run(struct http *h, const struct method *m, bool json, const uint8_t *body, size_t n)
{
    struct call c = {.http = h, .store = h->server->store};
    struct http_writer w;
    char text[200];
    int rc = asked_read(&c.asked, m->fields, json, body, n, &c.error);
    if (!rc && http_write_begin(h, &w)) {
        asked_deinit(&c.asked);
        return;
    }
    if (!rc) {
        wire_init(&c.wire, json, w.out);
        rc = m->answer(&c);
        int ended = wire_end(&c.wire, w.out);
        rc = rc ? rc : ended ? error_set(&c.error, ended, "out of memory") : 0;
        fflush(w.out);
        if (w.full)
            rc = error_set(&c.error, -EFBIG, "%s", http_full_text(&w, text, sizeof text));
        if (rc)
            http_write_abandon(&w);
    }
    asked_deinit(&c.asked);
    if (rc) {
        counters_gave_up(&h->server->counters, rc);
        connect_error(h, call_code(rc), c.error.text);
        return;
    }
    call_say_missing(h, &c.missing);
    http_write_end(h, &w, 200, json ? "application/json" : "application/proto");
}

void connect_answer(struct http *h, const uint8_t *body, size_t n)
{
    const char *type = http_header(h, "Content-Type"), *version = http_header(h, "Connect-Protocol-Version");
    enum encoding encoding = encoding_of(type ? type : "");
    const struct method *m = NULL;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(h->path, methods[i].path))
            m = &methods[i];
    if (!m)
        connect_error(h, "unimplemented", "this server does not have that call");
    else if (version && strcmp(version, "1"))
        connect_error(h, "invalid_argument", "Connect-Protocol-Version must be 1");
    else if (!encoding) {
        http_add_text(h, "Accept-Post", "application/proto, application/json");
        http_error(h, 415, "Content-Type must be application/proto or application/json");
    } else
        run(h, m, encoding == ENCODING_JSON, body, n);
}

/* ---- functions that calls share ---- */

static int64_t floor_s(int64_t ms)
{
    return ms / 1000 - (ms % 1000 < 0);
}

int call_times(struct call *c, const struct asked *a, struct store_query *q, bool recent)
{
    static const int64_t hour_ms = 3600000, most_ms = INT64_C(9000000000000);
    int64_t now = (int64_t)(clock_realtime_ns() / NS_PER_MS), start = a->start, end = a->end;
    if (recent && !start && !end) {
        start = now - hour_ms;
        end = now;
    }
    if (!start || !end || start > end || start < -most_ms || end > most_ms)
        return error_set(&c->error, -EINVAL, "start and end are times in milliseconds, and start is not after end");
    q->from = floor_s(start);
    q->to = floor_s(end + 999) + (start == end);
    q->is_gone = http_is_gone;
    q->client = c->http;
    q->until_ns = c->http->begun_ns + (uint64_t)SERVER_QUERY_S * NS_PER_S;
    return question_length(c->http->server, q->from, q->to, &c->error);
}

static int read_recordings(struct call *c, const struct asked *a, struct store_query *q)
{
    if (a->profile_ids.count > CALL_RECORDINGS_MAX)
        return error_set(&c->error, -EINVAL, "profile_id_selector: more than %d ids", CALL_RECORDINGS_MAX);
    for (uint32_t i = 0; i < a->profile_ids.count; i++)
        c->recordings[i] = recording_id_read(a->profile_ids.list[i]);
    q->recordings = c->recordings;
    q->recording_count = a->profile_ids.count;
    return 0;
}

int call_query(struct call *c, const struct asked *a, struct store_query *q, struct selector *s, char type[CATALOGUE_TYPE_MAX],
               bool *nothing)
{
    struct kind kind;
    *q = (struct store_query){.selector = s, .type = type};
    *s = (struct selector){0};
    int rc = call_times(c, a, q, false);
    rc = rc ? rc : kinds_parse(asked_last(&a->profile_type), type, &kind, &c->error);
    rc = rc ? rc : question_selector(s, c->http, asked_last(&a->selector), &c->error);
    rc = rc ? rc : read_recordings(c, a, q);
    *nothing = !rc && (!*type || !series_narrow(s, &kind));
    return rc;
}
