#include "server/answers/routes.h"

#include "base/text/units.h"
#include "server/answers/metrics.h"
#include "server/answers/pages.h"
#include "server/answers/query.h"
#include "server/answers/receive.h"
#include "server/request/origin.h"

#include <string.h>

static const struct route {
    const char *path;
    unsigned scope; /* 0 = everyone */
    void (*answer)(struct http *h);
} routes[] = {
    {"/v1/services", TOKEN_READ, query_services},
    {"/v1/series", TOKEN_READ, query_series},
    {"/v1/methods", TOKEN_READ, query_methods},
    {"/v1/flamegraph", TOKEN_READ, query_flamegraph},
    {"/v1/profile", TOKEN_READ, query_profile},
    {"/v1/recordings", TOKEN_READ, query_recordings},
    {"/metrics", TOKEN_READ, metrics_answer},
    {"/healthz", 0, metrics_health},
    {"/", TOKEN_READ, pages_fleet},
    {"/fleet.js", TOKEN_READ, pages_script},
    {"/fleet.css", TOKEN_READ, pages_style},
};

static const char recordings[] = "/v1/recordings/";

/* 0, or -1 after it has answered. */
static int allow(struct http *h, unsigned scope)
{
    struct server *s = h->server;
    if (!origin_allow(h))
        return -1;
    if (!s->options->token_file || !scope)
        return 0;
    unsigned scopes = tokens_scopes(&s->tokens, http_header(h, "Authorization"));
    if (!scopes)
        http_error(h, HTTP_UNAUTHORIZED, "a token is wanted: Authorization: Bearer TOKEN");
    else if (!(scopes & scope))
        http_error(h, HTTP_FORBIDDEN, "this token may not %s", scope == TOKEN_WRITE ? "write" : "read");
    return scopes & scope ? 0 : -1;
}

static void get(struct http *h)
{
    const struct route *route = NULL;
    bool one = !strncmp(h->path, recordings, sizeof recordings - 1);
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (!strcmp(routes[i].path, h->path))
            route = &routes[i];
    if (!route && !one) {
        if (!allow(h, TOKEN_READ))
            http_error(h, HTTP_NOT_FOUND, "there is nothing here; docs/formats/server-api.md says what there is");
        return;
    }
    if (allow(h, one ? TOKEN_READ : route->scope))
        return;
    uint64_t begun = clock_monotonic_ns();
    if (one)
        query_recording(h, h->path + sizeof recordings - 1);
    else
        route->answer(h);
    if (!strncmp(h->path, "/v1/", 4))
        counters_query(&h->server->counters, clock_monotonic_ns() - begun);
}

static void post(struct http *h)
{
    bool ingest = !strcmp(h->path, "/ingest");
    if (!ingest && strcmp(h->path, "/v1/recordings")) {
        http_error(h, HTTP_NOT_FOUND, "nothing can be sent here; POST /v1/recordings");
        return;
    }
    if (allow(h, TOKEN_WRITE)) {
        counters_received(&h->server->counters);
        counters_ended(&h->server->counters, REFUSED_NOT_ALLOWED, 0);
        return;
    }
    receive_begin(h, ingest);
}

void routes_begin(struct http *h)
{
    if (!strcmp(h->method, "POST"))
        post(h);
    else if (!strcmp(h->method, "GET") || !strcmp(h->method, "HEAD"))
        get(h);
    else
        http_error(h, HTTP_METHOD_NOT_ALLOWED, "GET or POST");
}
