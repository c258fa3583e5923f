#include "server/answers/health.h"

#include "server/request/readiness.h"

static const char ok[] = "{\"status\": \"ok\"}\n";

void health_alive(struct http *h)
{
    http_constant(h, "application/json", ok, sizeof ok - 1);
}

void health_ready(struct http *h)
{
    struct error e;
    if (readiness_check(h->server, &e))
        http_later(h, HTTP_SERVICE_UNAVAILABLE, e.text);
    else
        health_alive(h);
}
