#include "server/request/http.h"

#include "base/text/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DISCARD_MAX = 64 << 20 }; /* of a body whose answer is known */

const char *http_parameter(const struct http *h, const char *name, size_t *len)
{
    const char *value = NULL;
    size_t n = 0;
    MHD_lookup_connection_value_n(h->connection, MHD_GET_ARGUMENT_KIND, name, strlen(name), &value, &n);
    if (len)
        *len = n;
    return value;
}

const char *http_header(const struct http *h, const char *name)
{
    return MHD_lookup_connection_value(h->connection, MHD_HEADER_KIND, name);
}

/* ---- the body ---- */

static uint64_t body_most(const struct http *h)
{
    return h->server->options->max_body + DISCARD_MAX;
}

void http_begin(struct http *h)
{
    const char *length = http_header(h, "Content-Length");
    h->body_coming = !http_header(h, "Expect") && (!length || strtoull(length, NULL, 10) <= body_most(h));
}

/* After some time, a body must arrive at a minimum rate. */
bool http_is_slow(const struct http *h)
{
    uint64_t seconds = (clock_monotonic_ns() - h->begun_ns) / 1000000000;
    return seconds > SERVER_IDLE_S && h->came / seconds < SERVER_BODY_RATE;
}

bool http_is_endless(const struct http *h)
{
    return h->came > body_most(h);
}

static void give(struct http *h)
{
    h->answered = (int)MHD_queue_response(h->connection, h->waiting_status, h->waiting);
    http_free(h);
}

void http_close(struct http *h)
{
    h->body_coming = false;
    h->closing = true;
}

void http_body_end(struct http *h)
{
    h->body_coming = false;
    if (h->waiting)
        give(h);
}

void http_free(struct http *h)
{
    if (h->waiting)
        MHD_destroy_response(h->waiting);
    h->waiting = NULL;
}

/* ---- answers ---- */

void http_add_text(struct http *h, const char *name, const char *value)
{
    if (h->extra_count == HTTP_EXTRA_MAX)
        return;
    h->extra[h->extra_count].name = name;
    snprintf(h->extra[h->extra_count].value, HTTP_EXTRA_BYTES, "%s", value);
    h->extra_count++;
}

void http_add_number(struct http *h, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    http_add_text(h, name, text);
}

/* No answer may be taken for something else, put into another's page, or kept. */
static void answer(struct http *h, unsigned status, const char *type, struct MHD_Response *r, const char *extra,
                   const char *value)
{
    if (!r) {
        h->answered = MHD_NO;
        return;
    }
    MHD_add_response_header(r, "Content-Type", type);
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(r, "Cache-Control", "no-store");
    if (extra)
        MHD_add_response_header(r, extra, value);
    for (unsigned i = 0; i < h->extra_count; i++)
        MHD_add_response_header(r, h->extra[i].name, h->extra[i].value);
    if (h->closing)
        MHD_add_response_header(r, "Connection", "close");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(r, "Allow", "GET, HEAD, POST");
    h->waiting = r;
    h->waiting_status = status;
    h->answered = MHD_YES;
    if (!h->body_coming)
        give(h);
}

void http_bytes(struct http *h, unsigned status, const char *type, char *bytes, size_t n)
{
    answer(h, status, type, MHD_create_response_from_buffer(n, bytes, MHD_RESPMEM_MUST_FREE), NULL, NULL);
}

void http_constant(struct http *h, const char *type, const char *bytes, size_t n)
{
    answer(h, 200, type, MHD_create_response_from_buffer(n, (void *)(uintptr_t)bytes, MHD_RESPMEM_PERSISTENT), NULL,
           NULL);
}

void http_page(struct http *h, const char *policy, char *bytes, size_t n, bool constant)
{
    answer(h, 200, "text/html; charset=utf-8",
           MHD_create_response_from_buffer(n, bytes, constant ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE),
           "Content-Security-Policy", policy);
}

static void error_text(struct http *h, unsigned status, const char *text, const char *extra, const char *value)
{
    char *bytes = NULL;
    size_t n = 0;
    struct jsonw j;
    FILE *out = open_memstream(&bytes, &n);
    if (!out) {
        h->answered = MHD_NO;
        return;
    }
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_member_text(&j, "error", text);
    jsonw_object_end(&j);
    jsonw_finish(&j);
    fclose(out);
    answer(h, status, "application/json", MHD_create_response_from_buffer(n, bytes, MHD_RESPMEM_MUST_FREE), extra,
           value);
}

void http_error(struct http *h, unsigned status, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bool ask = status == MHD_HTTP_UNAUTHORIZED;
    error_text(h, status, text, ask ? "WWW-Authenticate" : NULL, "Basic realm=\"candor\", charset=\"UTF-8\"");
}

void http_later(struct http *h, unsigned status, const char *text)
{
    error_text(h, status, text, "Retry-After", "10");
}

int http_write_begin(struct http *h, struct http_writer *w)
{
    *w = (struct http_writer){0};
    w->out = open_memstream(&w->bytes, &w->size);
    if (!w->out) {
        http_later(h, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
        return -ENOMEM;
    }
    jsonw_init(&w->json, w->out);
    return 0;
}

void http_write_end(struct http *h, struct http_writer *w, unsigned status, const char *type)
{
    if (!strcmp(type, "application/json"))
        jsonw_finish(&w->json);
    if (fclose(w->out)) {
        free(w->bytes);
        http_later(h, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
        return;
    }
    /* The viewer's page has a policy of its own; who may put it into a page only a header can say. */
    if (!strncmp(type, "text/html", 9))
        http_page(h, "frame-ancestors 'self'", w->bytes, w->size, false);
    else
        http_bytes(h, status, type, w->bytes, w->size);
}
