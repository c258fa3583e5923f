#include "emit/target.h"

#include "http/address.h"

#include <errno.h>
#include <string.h>

int emit_target_read(struct emit_target *t, const char *text, struct error *e)
{
    static const struct {
        const char *prefix;
        enum emit_protocol protocol;
    } protocols[] = {{"otlp+", EMIT_OTLP}, {"pyroscope+", EMIT_PYROSCOPE}};
    const char *address = text;
    *t = (struct emit_target){.protocol = EMIT_CANDOR};
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
        if (!strncmp(text, protocols[i].prefix, strlen(protocols[i].prefix))) {
            t->protocol = protocols[i].protocol;
            address = text + strlen(protocols[i].prefix);
        }
    if (!address_is(address))
        return error_set(e, -EINVAL, "'%.100s' is not an address to send to: use " EMIT_SCHEMES, text);
    return address_read(address, t->base, sizeof t->base, e);
}
