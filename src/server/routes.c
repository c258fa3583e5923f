#include "server/routes.h"

#include "base/units.h"
#include "server/metrics.h"
#include "server/pages.h"
#include "server/query.h"
#include "server/receive.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

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

/* "localhost:4041", "127.0.0.1", "[::1]:4041" */
static bool is_loopback_name(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (!strncasecmp(host, names[i], n) && (!host[n] || host[n] == ':'))
            return true;
    }
    return false;
}

/* A page of another origin may neither read nor write here. */
static bool is_foreign(const struct http *h)
{
    const char *origin = http_header(h, "Origin"), *host = http_header(h, "Host");
    const char *name = origin ? strstr(origin, "://") : NULL;
    return origin && (!name || !host || strcasecmp(name + 3, host));
}

/* 0, or -1 after it has answered. */
static int allow(struct http *h, unsigned scope)
{
    struct server *s = h->server;
    if (s->loopback && !is_loopback_name(http_header(h, "Host"))) {
        http_error(h, MHD_HTTP_FORBIDDEN, "without --token-file only requests to localhost are answered");
        return -1;
    }
    if (is_foreign(h)) {
        http_error(h, MHD_HTTP_FORBIDDEN, "not for pages of another origin");
        return -1;
    }
    if (!s->options->token_file || !scope)
        return 0;
    unsigned scopes = tokens_scopes(&s->tokens, http_header(h, "Authorization"));
    if (!scopes)
        http_error(h, MHD_HTTP_UNAUTHORIZED, "a token is wanted: Authorization: Bearer TOKEN");
    else if (!(scopes & scope))
        http_error(h, MHD_HTTP_FORBIDDEN, "this token may not %s", scope == TOKEN_WRITE ? "write" : "read");
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
            http_error(h, MHD_HTTP_NOT_FOUND, "there is nothing here; docs/formats/server-api.md says what there is");
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
        http_error(h, MHD_HTTP_NOT_FOUND, "nothing can be sent here; POST /v1/recordings");
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
    if (!strcmp(h->method, MHD_HTTP_METHOD_POST))
        post(h);
    else if (!strcmp(h->method, MHD_HTTP_METHOD_GET) || !strcmp(h->method, MHD_HTTP_METHOD_HEAD))
        get(h);
    else
        http_error(h, MHD_HTTP_METHOD_NOT_ALLOWED, "GET or POST");
}
