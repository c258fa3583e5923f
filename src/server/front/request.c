#include "server/front/request.h"

#include "base/map.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/answers/routes.h"
#include "server/logs/journal.h"
#include "server/request/people.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ANSWER_MOST_S = 600 }; /* how long a client may take to read an answer */

struct request *request_new(struct server *s)
{
    struct request *r = calloc(1, sizeof *r);
    if (r)
        r->http = (struct http){.server = s, .method = "", .path = "", .begun_ns = clock_monotonic_ns()};
    return r;
}

void request_end(struct request *r, const char *address)
{
    const struct http *h = &r->http;
    uint64_t ns = clock_monotonic_ns() - h->begun_ns, received = r->head + r->came;
    const struct journal_request line = {.token = h->token.holder,
                                         .address = address,
                                         .method = h->method,
                                         .path = h->path,
                                         .problem = h->problem,
                                         .status = h->answered ? h->status : 0,
                                         .received = received,
                                         .sent = r->sent,
                                         .ns = ns};
    counters_request(&h->server->counters, routes_group(h), ns, received, r->sent, http_header(h, "traceparent"));
    journal_request(h->server->journal, &line);
    http_free(&r->http);
    free(r);
}

/* ---- for a worker ---- */

static uint64_t number_of(const char *text)
{
    return hash_bytes(text, strlen(text));
}

uint64_t request_owner(const struct request *r)
{
    const struct http *h = &r->http;
    struct people_named named;
    struct error e;
    bool person = !people_find(h, &named, &e) && named.user; /* a name that is not the proxy's takes nobody's turns */
    uint64_t number = person ? number_of(named.user) : tokens_number(http_header(h, "Authorization"));
    if (!number && h->certificate)
        return number_of(h->certificate);
    return number ? number : number_of(h->address);
}

enum lane request_lane(const struct request *r)
{
    if (routes_is_query(&r->http))
        return LANE_QUERY;
    return r->http.takes_body || !strcmp(r->http.method, "POST") ? LANE_RECEIVE : LANE_SHORT;
}

static void take_piece(struct request *r, const char *bytes)
{
    if (r->grpc.on)
        grpc_body(&r->grpc, &r->http, bytes, r->piece);
    else
        routes_body(&r->http, bytes, r->piece);
}

void request_work(struct request *r, const struct work *w, const char *bytes)
{
    struct http *h = &r->http;
    enum task task = w->task;
    h->queued_ns = clock_monotonic_ns() - w->job.since_ns;
    if (task == TASK_BEGIN && (!r->grpc.on || !grpc_begin(&r->grpc, h)))
        routes_begin(h);
    if (task == TASK_BODY && r->piece)
        take_piece(r, bytes);
    if (task == TASK_BODY && (r->body_done || h->closing) && (!r->grpc.on || !grpc_end(&r->grpc, h)))
        routes_body_end(h);
    if (task == TASK_DROP || h->answered)
        routes_drop(h);
}

/* ---- slow clients ---- */

bool request_is_slow(const struct request *r, uint64_t now_ns, uint64_t progress_ns, uint64_t waited_ns, uint64_t bytes, uint64_t rate)
{
    uint64_t patience = r->http.server->limits.patience_ns;
    return now_ns - progress_ns > patience || (waited_ns > patience && bytes / (waited_ns / NS_PER_S) < rate);
}

uint64_t request_least_rate(const struct request *r)
{
    uint64_t rate = r->http.content.n / ANSWER_MOST_S;
    return rate > SERVER_RATE ? rate : SERVER_RATE;
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

char *request_date(char out[REQUEST_DATE_BYTES])
{
    struct tm tm;
    time_t now = time(NULL);
    strftime(out, REQUEST_DATE_BYTES, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &tm));
    return out;
}

void request_write_top(struct request *r)
{
    const struct http *h = &r->http;
    char date[REQUEST_DATE_BYTES];
    FILE *out = fmemopen(r->top, sizeof r->top, "w");
    r->interim = false;
    r->sent = r->top_len = 0;
    if (!out)
        return;
    fprintf(out, "HTTP/1.1 %u %s\r\n", h->status, http_reason(h->status));
    fprintf(out, "Date: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n", request_date(date), h->type, h->content.n);
#define REQUEST_HEADER(name, value) fputs(name ": " value "\r\n", out);
    REQUEST_HEADERS(REQUEST_HEADER)
#undef REQUEST_HEADER
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
