#include "server/answers/health.h"

#include "base/text/units.h"
#include "base/time_units.h"

static const char ok[] = "{\"status\": \"ok\"}\n";

void health_alive(struct http *h)
{
    http_constant(h, "application/json", ok, sizeof ok - 1);
}

/* Returns the result of the last check, or of a new one if that was a second ago. */
static int check(struct server *s, struct error *e)
{
    struct readiness *r = &s->readiness;
    uint64_t now = clock_monotonic_ns();
    pthread_mutex_lock(&r->lock);
    if (!r->checked_ns || now - r->checked_ns > NS_PER_S) {
        r->result = store_check_ready(s->store, &r->problem);
        r->checked_ns = now;
    }
    int rc = r->result;
    *e = r->problem;
    pthread_mutex_unlock(&r->lock);
    return rc;
}

void health_ready(struct http *h)
{
    struct error e;
    if (h->server->stop.asked)
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "the server is ending");
    else if (check(h->server, &e))
        http_later(h, HTTP_SERVICE_UNAVAILABLE, e.text);
    else
        health_alive(h);
}
