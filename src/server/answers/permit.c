#include "server/answers/permit.h"

#include "server/connect/connect.h"
#include "server/request/origin.h"
#include "server/request/people.h"

#include <stdarg.h>
#include <stdio.h>

/* Answers in the form of the API that was asked. */
static void deny(struct http *h, bool known, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void deny(struct http *h, bool known, const char *format, ...)
{
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (connect_is(h->path))
        connect_error(h, known ? "permission_denied" : "unauthenticated", text);
    else
        http_error(h, known ? HTTP_FORBIDDEN : HTTP_UNAUTHORIZED, "%s", text);
}

/* Finds who sends the request: a person whom a proxy names, the holder of a token, or of a certificate. Returns 0, or -1 if it has already
 * answered with an error. */
static int find_holder(struct http *h)
{
    struct tokens *tokens = &h->server->tokens;
    const char *authorization = http_header(h, "Authorization");
    struct people_named named;
    struct error e;
    if (people_find(h, &named, &e))
        deny(h, true, "%s", e.text);
    else if (named.user && !tokens_find_person(tokens, named.user, named.groups, &h->token))
        deny(h, true, "no line of the server's --token-file is for the user '%.100s'; ask the operator for one", named.user);
    else if (named.user)
        return 0;
    else if (authorization ? tokens_find(tokens, authorization, &h->token)
                           : tokens_find_tenant(tokens, http_header(h, "X-Scope-OrgID"), &h->token) ||
                                 tokens_find_certificate(tokens, h->certificate, &h->token))
        return 0;
    else if (h->certificate && !authorization)
        deny(h, true, "no line of the server's --token-file is for the certificate '%.100s'; ask the operator for one", h->certificate);
    else
        deny(h, false, "a token is required: Authorization: Bearer TOKEN");
    return -1;
}

/* Counts the request against the limit of the token. Returns 0, or -1 if it has already answered with an error. */
static int count(struct http *h)
{
    struct server_limits *l = &h->server->limits;
    const uint64_t defaults[QUOTAS] = {l->requests_per_second, l->bytes_per_second, l->burst_bytes,   l->bytes_per_minute,
                                       l->bytes_per_hour,      l->series_per_day,   l->values_per_day};
    struct error e;
    quotas_fill(&h->token.limits, defaults);
    int rc = quotas_take_request(h->server->quotas, h->token.name, &h->token.limits, &e);
    if (!rc)
        return 0;
    http_add_retry(h, quotas_refused(rc) ? quotas_retry_s(rc) : HTTP_LATER_S);
    if (connect_is(h->path))
        connect_error(h, "resource_exhausted", e.text);
    else
        http_error(h, HTTP_TOO_MANY_REQUESTS, "%s", e.text);
    return -1;
}

static const char *words_of(unsigned scope)
{
    if (scope == (TOKEN_READ | TOKEN_WRITE))
        return "both read and write";
    if (scope & TOKEN_PROFILE)
        return "ask for profiles";
    return scope & TOKEN_WRITE ? "write" : scope & TOKEN_READ ? "read" : "change the server";
}

int permit(struct http *h, unsigned scope)
{
    static const struct token everything = {.scopes = TOKEN_ALL, .services = TOKENS_ANY_SERVICE};
    if (!origin_allow(h))
        return -1;
    if (!h->server->options->token_file || !scope) {
        h->token = everything;
        return 0;
    }
    if (find_holder(h) || count(h))
        return -1;
    if (scope & TOKEN_ALL & ~h->token.scopes)
        deny(h, true, "this token may not %s", words_of(scope));
    else if (scope & OF_ALL && token_is_bound(&h->token))
        http_error(h, HTTP_FORBIDDEN, "this token is for some services only, and %s is about all", h->path);
    return h->answered ? -1 : 0;
}
