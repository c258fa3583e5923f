#include "server/front/request.h"

#include "base/text/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct request *request_new(struct server *s)
{
    struct request *r = calloc(1, sizeof *r);
    if (r)
        r->http = (struct http){.server = s, .method = "", .path = "", .begun_ns = clock_monotonic_ns()};
    return r;
}

void request_free(struct request *r)
{
    if (r)
        http_free(&r->http);
    free(r);
}

/* ---- the body ---- */

void request_begin_body(struct request *r)
{
    r->left = r->http.head.length;
    r->body_done = !r->http.head.chunked && !r->left;
}

int request_take_body(struct request *r, char *bytes, size_t n, const char **problem)
{
    r->piece = r->used = 0;
    if (r->http.head.chunked) {
        int rc = chunks_decode(&r->chunks, bytes, n, &r->used, &r->piece);
        *problem = r->chunks.problem;
        if (rc < 0)
            return rc;
        r->body_done = rc;
    } else {
        r->piece = r->used = n < r->left ? n : (size_t)r->left;
        r->left -= r->used;
        r->body_done = !r->left;
    }
    r->came += r->piece;
    return 0;
}

/* ---- the answer ---- */

void request_write_continue(struct request *r)
{
    r->interim = true;
    r->sent = 0;
    r->top_len = (size_t)snprintf(r->top, sizeof r->top, "HTTP/1.1 100 Continue\r\n\r\n");
}

static void put_date(FILE *out)
{
    char text[64];
    struct tm tm;
    time_t now = time(NULL);
    strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &tm));
    fprintf(out, "Date: %s\r\n", text);
}

/* Prepares the head of an answer. Its headers keep browsers from taking the answer for another type (for example for a script of another
 * site's page), from reporting its address to other sites, and from keeping it. */
void request_write_top(struct request *r)
{
    const struct http *h = &r->http;
    FILE *out = fmemopen(r->top, sizeof r->top, "w");
    r->interim = false;
    r->sent = r->top_len = 0;
    if (!out)
        return;
    fprintf(out, "HTTP/1.1 %u %s\r\n", h->status, http_reason(h->status));
    put_date(out);
    fprintf(out, "Content-Type: %s\r\nContent-Length: %zu\r\n", h->type, h->content.n);
    fputs("X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store\r\n", out);
    for (unsigned i = 0; i < h->extra_count; i++)
        fprintf(out, "%s: %s\r\n", h->extra[i].name, h->extra[i].value);
    fprintf(out, "Connection: %s\r\n\r\n", r->keep ? "keep-alive" : "close");
    r->top_len = (size_t)ftell(out);
    if (fclose(out))
        r->top_len = 0;
}

const char *request_next(const struct request *r, size_t *n, bool *more)
{
    bool content = !r->interim && strcmp(r->http.method, "HEAD") != 0;
    size_t content_len = content ? r->http.content.n : 0;
    *more = r->sent < r->top_len && content_len;
    if (r->sent < r->top_len) {
        *n = r->top_len - (size_t)r->sent;
        return r->top + r->sent;
    }
    uint64_t at = r->sent - r->top_len;
    *n = content_len - (size_t)at;
    return content_len ? r->http.content.bytes + at : NULL;
}
