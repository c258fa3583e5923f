/* Answers gRPC's health check (grpc.health.v1), which load balancers and Kubernetes use: whether the server, or one of its services, can do
 * its work. A file of its own, because it asks for the server's state and not for data. */
#include "server/connect/call.h"

#include "server/request/readiness.h"

#include <errno.h>
#include <string.h>

enum { SERVING = 1, NOT_SERVING = 2 };

int calls_health(struct call *c)
{
    static const char *const services[] = {"", "opentelemetry.proto.collector.profiles.v1development.ProfilesService",
                                           "querier.v1.QuerierService", "push.v1.PusherService"};
    const char *name = asked_last(&c->asked.name);
    struct error e;
    bool known = false;
    for (size_t i = 0; i < sizeof services / sizeof *services; i++)
        known = known || !strcmp(name, services[i]);
    if (!known)
        return error_set(&c->error, -ESRCH, "there is no service '%.100s' here", name);
    bool good = !readiness_check(c->http->server, &e);
    if (c->wire.json)
        wire_text(&c->wire, 1, "status", good ? "SERVING" : "NOT_SERVING");
    else
        wire_int(&c->wire, 1, "status", good ? SERVING : NOT_SERVING);
    return 0;
}
