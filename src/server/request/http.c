#include "server/request/http.h"

#include "base/text/units.h"
#include "store/files/envelope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DISCARD_MAX = 64 << 20 }; /* bytes of a body that are read and dropped after the answer is known */
#define GONE_AFTER_NS 500000000ull
#define GONE_EVERY_NS 100000000ull

const char *http_parameter(const struct http *h, const char *name, size_t *len)
{
    const struct head_field *field = head_parameter(&h->head, name);
    if (len)
        *len = field ? field->value_len : 0;
    return field ? field->value : NULL;
}

const char *http_header(const struct http *h, const char *name)
{
    return head_header(&h->head, name);
}

bool http_is_gone(void *http)
{
    struct http *h = http;
    uint64_t now = clock_monotonic_ns();
    if (!h->gone && h->is_gone && now - h->begun_ns > GONE_AFTER_NS && now - h->looked_ns > GONE_EVERY_NS) {
        h->looked_ns = now;
        h->gone = h->is_gone(h->client);
    }
    return h->gone;
}

uint64_t http_body_most(const struct server *s)
{
    return s->limits.max_body + ENVELOPE_MORE + DISCARD_MAX;
}

void http_free(struct http *h)
{
    if (h->content.release)
        h->content.release(h->content.context);
    h->content = (struct http_content){0};
    head_free(&h->head);
}

/* ---- answers ---- */

void http_add_text(struct http *h, const char *name, const char *value)
{
    if (h->extra_count == HTTP_EXTRA_MAX)
        return;
    char *text = h->extra[h->extra_count].value;
    snprintf(text, HTTP_EXTRA_BYTES, "%s", value);
    for (; *text; text++) /* the end of a line would begin another header */
        *text = *text >= ' ' && *text <= '~' ? *text : '?';
    h->extra[h->extra_count++].name = name;
}

void http_add_number(struct http *h, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    http_add_text(h, name, text);
}

void http_content(struct http *h, unsigned status, const char *type, struct http_content content)
{
    h->status = status;
    h->type = type;
    h->content = content;
    h->answered = true;
}

void http_bytes(struct http *h, unsigned status, const char *type, char *bytes, size_t n)
{
    http_content(h, status, type, (struct http_content){bytes, n, free, bytes});
}

void http_constant(struct http *h, const char *type, const char *bytes, size_t n)
{
    http_content(h, HTTP_OK, type, (struct http_content){.bytes = bytes, .n = n});
}

void http_page(struct http *h, const char *policy, struct http_content content)
{
    http_add_text(h, "Content-Security-Policy", policy);
    http_content(h, HTTP_OK, "text/html; charset=utf-8", content);
}

void http_note_problem(struct http *h, const char *text)
{
    snprintf(h->problem, sizeof h->problem, "%s", text);
}

static void error_text(struct http *h, unsigned status, const char *text)
{
    static const char none[] = "{\"error\": \"out of memory\"}";
    char *bytes = NULL;
    size_t n = 0;
    struct jsonw j;
    http_note_problem(h, text);
    FILE *out = open_memstream(&bytes, &n);
    if (out) {
        jsonw_init(&j, out);
        jsonw_object(&j);
        jsonw_member_text(&j, "error", text);
        jsonw_object_end(&j);
        jsonw_finish(&j);
    }
    if (!out || fclose(out))
        http_content(h, status, "application/json", (struct http_content){.bytes = none, .n = sizeof none - 1});
    else
        http_bytes(h, status, "application/json", bytes, n);
}

void http_error(struct http *h, unsigned status, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (status == HTTP_UNAUTHORIZED)
        http_add_text(h, "WWW-Authenticate", "Basic realm=\"candor\", charset=\"UTF-8\"");
    if (status == HTTP_METHOD_NOT_ALLOWED)
        http_add_text(h, "Allow", "GET, HEAD, POST");
    error_text(h, status, text);
}

void http_add_retry(struct http *h, uint32_t seconds)
{
    h->retry_s = seconds;
    http_add_number(h, "Retry-After", seconds);
}

void http_later(struct http *h, unsigned status, const char *text)
{
    http_add_retry(h, HTTP_LATER_S);
    error_text(h, status, text);
}

const char *http_reason(unsigned status)
{
    switch (status) {
#define HTTP_REASON(name, number, reason)                                                                                                  \
    case number:                                                                                                                           \
        return reason;
        HTTP_STATUSES(HTTP_REASON)
#undef HTTP_REASON
    default:
        return "Unknown";
    }
}

/* Writes to the memory. Returns 0 if the bytes do not fit, which stdio takes for an error. */
static ssize_t keep(void *writer, const char *bytes, size_t n)
{
    struct http_writer *w = writer;
    w->full |= n > w->most - w->size;
    if (w->full || w->failed)
        return 0;
    if (n > w->cap - w->size) {
        size_t cap = 2 * (w->size + n);
        char *grown = realloc(w->bytes, cap);
        w->failed = !grown;
        if (!grown)
            return 0;
        w->bytes = grown;
        w->cap = cap;
    }
    memcpy(w->bytes + w->size, bytes, n);
    w->size += n;
    return (ssize_t)n;
}

int http_write_begin(struct http *h, struct http_writer *w)
{
    *w = (struct http_writer){.most = h->server->limits.max_answer};
    w->out = fopencookie(w, "w", (cookie_io_functions_t){.write = keep});
    if (!w->out) {
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "out of memory");
        return -ENOMEM;
    }
    jsonw_init(&w->json, w->out);
    return 0;
}

void http_write_abandon(struct http_writer *w)
{
    fclose(w->out);
    free(w->bytes);
}

char *http_full_text(const struct http_writer *w, char *out, size_t size)
{
    snprintf(out, size, "the answer has more than --max-answer, %" PRIu64 " bytes: ask for less, or for less time", w->most);
    return out;
}

void http_write_end(struct http *h, struct http_writer *w, unsigned status, const char *type)
{
    if (!strcmp(type, "application/json"))
        jsonw_finish(&w->json);
    char text[200];
    bool failed = fclose(w->out);
    if (failed || w->full) {
        free(w->bytes);
        if (w->full)
            http_error(h, HTTP_BAD_REQUEST, "%s", http_full_text(w, text, sizeof text));
        else
            http_later(h, HTTP_SERVICE_UNAVAILABLE, "out of memory");
        return;
    }
    /* The viewer's page contains its own policy. But only a header can say which sites may embed the page. */
    if (!strncmp(type, "text/html", 9))
        http_page(h, "frame-ancestors 'self'", (struct http_content){w->bytes, w->size, free, w->bytes});
    else
        http_bytes(h, status, type, w->bytes, w->size);
}
