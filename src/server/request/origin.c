#include "server/request/origin.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 256 };

/* ---- --origin ---- */

/* Finds the next address of the list, and moves *list past it. Returns its length without commas; 0 = no more. */
static size_t next(const char **list, const char **one)
{
    *list += strspn(*list, ",");
    *one = *list;
    size_t n = strcspn(*list, ",");
    *list += n;
    return n;
}

static const char *authority_of(const char *one, size_t n, size_t *len)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < 2; i++) {
        size_t scheme = strlen(schemes[i]);
        if (n > scheme && !strncasecmp(one, schemes[i], scheme)) {
            *len = n - scheme;
            return one + scheme;
        }
    }
    return NULL;
}

int origin_check(const char *list, struct error *e)
{
    const char *one;
    size_t n, len;
    if (!*list)
        return error_set(e, -EINVAL, "--origin is empty");
    while ((n = next(&list, &one))) {
        const char *authority = authority_of(one, n, &len);
        if (!authority || memchr(authority, '/', len) || len >= NAME_MAX_BYTES)
            return error_set(e, -EINVAL, "--origin '%.*s' is not like https://profiles.example.org, a browser's address without a path",
                             n < 100 ? (int)n : 100, one);
    }
    return 0;
}

/* ---- names ---- */

/* Reads the host of "HOST:PORT" or "[ADDRESS]:PORT", without brackets. Returns false if there is none. */
static bool name_of(const char *host, size_t n, char out[NAME_MAX_BYTES])
{
    const char *end = host + n, *colon;
    bool brackets = n && *host == '[';
    const char *close = brackets ? memchr(host, ']', n) : NULL;
    if (!n || n >= NAME_MAX_BYTES || (brackets && !close))
        return false;
    colon = brackets ? close + 1 : memchr(host, ':', n);
    if (!colon)
        colon = end;
    for (const char *c = colon + (colon < end); c < end; c++)
        if (!isdigit((unsigned char)*c))
            return false;
    if (colon < end && *colon != ':')
        return false;
    snprintf(out, NAME_MAX_BYTES, "%.*s", (int)((brackets ? close : colon) - host - brackets), host + brackets);
    size_t len = strlen(out);
    if (len && out[len - 1] == '.')
        out[len - 1] = 0;
    return *out;
}

static bool is_address(const char *name, bool *loopback)
{
    struct in_addr v4;
    struct in6_addr v6;
    bool is_v4 = inet_pton(AF_INET, name, &v4) == 1, is_v6 = !is_v4 && inet_pton(AF_INET6, name, &v6) == 1;
    *loopback = (is_v4 && ntohl(v4.s_addr) >> 24 == 127) || (is_v6 && IN6_IS_ADDR_LOOPBACK(&v6));
    return is_v4 || is_v6;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcasecmp(name + n - m, end);
}

/* Whether a name cannot be in public DNS, so that no attacker can make it refer to our address: a name without a dot, or in a domain
 * that is reserved for private use. */
static bool is_private(const char *name)
{
    return !strchr(name, '.') || ends_with(name, ".local") || ends_with(name, ".internal") || ends_with(name, ".localhost") ||
           ends_with(name, ".lan") || ends_with(name, ".home.arpa") || ends_with(name, ".svc");
}

static bool is_ours(const char *name)
{
    char own[NAME_MAX_BYTES] = "";
    return !gethostname(own, sizeof own - 1) && !strcasecmp(own, name);
}

static bool is_named(const char *list, const char *name)
{
    const char *one;
    size_t n, len;
    while (list && (n = next(&list, &one))) {
        char of[NAME_MAX_BYTES];
        const char *authority = authority_of(one, n, &len);
        if (authority && name_of(authority, len, of) && !strcasecmp(of, name))
            return true;
    }
    return false;
}

static bool is_listening(const struct server_options *o, const char *name)
{
    for (uint32_t i = 0; i < o->address_count; i++)
        if (!strcasecmp(name, o->addresses[i].host))
            return true;
    return false;
}

/* ---- requests ---- */

/* Whether the header Host is acceptable. With tokens, any name is: a browser does not send the tokens to another name. */
static bool is_good_host(const struct http *h)
{
    const struct server_options *o = h->server->options;
    const char *host = http_header(h, "Host");
    char name[NAME_MAX_BYTES];
    bool loopback;
    if (o->token_file)
        return true;
    if (!host)
        return true; /* not a browser, because browsers always send it */
    if (!name_of(host, strlen(host), name))
        return false;
    bool address = is_address(name, &loopback);
    if (is_named(o->origin, name) || loopback || !strcasecmp(name, "localhost"))
        return true;
    return !h->server->loopback && (address || is_private(name) || is_ours(name) || is_listening(o, name));
}

/* Whether the request comes from our own page. Then its origin is the address of the request, or an address of --origin. */
static bool is_good_origin(const struct http *h)
{
    const char *origin = http_header(h, "Origin"), *host = http_header(h, "Host"), *list = h->server->options->origin, *one;
    size_t n, len;
    if (!origin)
        return true;
    while (list && (n = next(&list, &one)))
        if (strlen(origin) == n && !strncasecmp(origin, one, n))
            return true;
    const char *authority = authority_of(origin, strlen(origin), &len);
    return authority && host && !strcasecmp(authority, host);
}

static bool header_is(const struct http *h, const char *name, const char *value)
{
    const char *text = http_header(h, name);
    return text && !strcasecmp(text, value);
}

/* Whether Sec-Fetch-Site is acceptable. A link may be followed from any page, because that page cannot read what the browser then shows. */
static bool is_good_site(const struct http *h)
{
    bool link = !strcmp(h->method, "GET") && header_is(h, "Sec-Fetch-Mode", "navigate") && header_is(h, "Sec-Fetch-Dest", "document");
    const char *site = http_header(h, "Sec-Fetch-Site");
    return !site || !strcasecmp(site, "same-origin") || !strcasecmp(site, "none") || link;
}

bool origin_allow(struct http *h)
{
    bool host = is_good_host(h);
    if (!host && h->server->loopback)
        http_error(h, HTTP_FORBIDDEN,
                   "without --token-file the server answers only requests to localhost; to be reached under another name it needs "
                   "--origin URL");
    else if (!host)
        http_error(h, HTTP_FORBIDDEN,
                   "with --no-auth, requests to a public host name are refused; start the server with --origin https://NAME, or use "
                   "its IP address");
    else if (!is_good_origin(h) || !is_good_site(h))
        http_error(h, HTTP_FORBIDDEN,
                   "refused: a page of another site sent this request. Behind a reverse proxy, start the server with --origin set to "
                   "the URL that browsers show");
    else
        return true;
    return false;
}
