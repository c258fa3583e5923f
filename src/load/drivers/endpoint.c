#include "load/drivers/drivers.h"

#include "base/text/number.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Copies len bytes and resolves %XX. Returns false if they do not fit, or if a zero byte would result. */
static bool decode(char *out, size_t size, const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        int high = text[i] == '%' && i + 2 < len ? number_hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? number_hex_digit(text[i + 2]) : -1;
        char c = low >= 0 ? (char)(high * 16 + low) : text[i];
        i += low >= 0 ? 2 : 0;
        if (!c || n + 1 >= size)
            return false;
        out[n++] = c;
    }
    out[n] = 0;
    return true;
}

static bool copy(char *out, size_t size, const char *text, size_t len)
{
    if (len >= size)
        return false;
    memcpy(out, text, len);
    out[len] = 0;
    return true;
}

/* Reads "host", "host:port", "[v6]" or "[v6]:port". */
static bool take_host(struct endpoint *p, const char *text, size_t len)
{
    const char *end = text + len, *close = len && *text == '[' ? memchr(text, ']', len) : NULL;
    const char *host_end = close ? close : memchr(text, ':', len);
    uint64_t port;
    if (!host_end)
        host_end = end;
    if (close)
        text++;
    if (host_end == text || !copy(p->host, sizeof p->host, text, (size_t)(host_end - text)))
        return false;
    host_end += close != NULL;
    if (host_end == end)
        return true;
    return *host_end == ':' && copy(p->port, sizeof p->port, host_end + 1, (size_t)(end - host_end - 1)) &&
           !number_parse(p->port, 1, UINT16_MAX, &port);
}

static bool take_login(struct endpoint *p, const char *text, size_t len)
{
    const char *colon = memchr(text, ':', len);
    size_t user = colon ? (size_t)(colon - text) : len;
    return decode(p->user, sizeof p->user, text, user) && (!colon || decode(p->password, sizeof p->password, colon + 1, len - user - 1));
}

static bool take(struct endpoint *p, const char *url)
{
    const char *rest = strstr(url, "://");
    if (!rest || !copy(p->url, sizeof p->url, url, strlen(url)) || !copy(p->scheme, sizeof p->scheme, url, (size_t)(rest - url)))
        return false;
    for (const char *c = url; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return false;
    rest += 3;
    size_t len = strcspn(rest, "/?#");
    const char *at = memrchr(rest, '@', len);
    if (at && !take_login(p, rest, (size_t)(at - rest)))
        return false;
    const char *host = at ? at + 1 : rest;
    return take_host(p, host, (size_t)(rest + len - host)) && copy(p->path, sizeof p->path, rest + len, strlen(rest + len));
}

int endpoint_parse(struct endpoint *p, const char *url, struct error *e)
{
    *p = (struct endpoint){0};
    if (!take(p, url))
        return error_set(e, -EINVAL, "'%.80s' is not a URL like redis://user:password@host:6379/0", url);
    p->target = (struct candor_load_target){
        .url = p->url, .scheme = p->scheme, .host = p->host, .port = p->port, .path = p->path, .user = p->user, .password = p->password};
    return 0;
}
