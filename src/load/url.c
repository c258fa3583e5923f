#include "load/url.h"

#include "base/text/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool has_odd_byte(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || *text == 0x7f)
            return true;
    return false;
}

/* Reads the authority: "host", "host:port", "[v6]" or "[v6]:port". */
static bool take_authority(struct url *u, const char *text, size_t len)
{
    const char *end = text + len, *host = text, *host_end;
    if (len == 0 || len >= sizeof u->authority || memchr(text, '@', len))
        return false;
    if (*text == '[') {
        host++;
        host_end = memchr(text, ']', len);
        text = host_end ? host_end + 1 : NULL;
    } else {
        const char *colon = memchr(text, ':', len);
        text = host_end = colon ? colon : end;
    }
    if (!text || host_end == host || (size_t)(host_end - host) >= sizeof u->host)
        return false;
    snprintf(u->host, sizeof u->host, "%.*s", (int)(host_end - host), host);
    snprintf(u->port, sizeof u->port, "%s", u->tls ? "443" : "80");
    if (text == end)
        return true;
    uint64_t port;
    if (*text++ != ':' || number_take(&text, 10, 1, UINT16_MAX, &port) || text != end)
        return false;
    snprintf(u->port, sizeof u->port, "%" PRIu64, port);
    return true;
}

int url_parse(struct url *u, const char *text, struct error *e)
{
    const char *rest = NULL;
    *u = (struct url){0};
    if (!strncmp(text, "http://", 7))
        rest = text + 7;
    else if (!strncmp(text, "https://", 8))
        rest = text + 8, u->tls = true;
    if (!rest)
        return error_set(e, -EINVAL, "'%.80s' is not a URL of http:// or https://", text);
    size_t len = strcspn(rest, "/?#"), path = strcspn(rest + len, "#");
    if (has_odd_byte(text) || !take_authority(u, rest, len) || path + 2 > sizeof u->path)
        return error_set(e, -EINVAL, "'%.80s' is not a URL like http://host:8080/path", text);
    snprintf(u->authority, sizeof u->authority, "%.*s", (int)len, rest);
    snprintf(u->path, sizeof u->path, "%s%.*s", rest[len] == '/' ? "" : "/", (int)path, rest + len);
    return 0;
}
