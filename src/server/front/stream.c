#include "server/front/stream.h"

#include "base/text/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BODY_BYTES = 1 << 20 }; /* more than a window, so only nghttp2 limits the bytes that wait */

struct stream *stream_new(const struct peer *of, int32_t id)
{
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    uint64_t now = clock_monotonic_ns();
    *s = (struct stream){.work = {.connection = of->connection, .stream = s}, .of = of, .id = id, .since_ns = now, .progress_ns = now};
    buffer_init(&s->fields, 4 * SERVER_HEAD_BYTES);
    buffer_init(&s->in, BODY_BYTES);
    buffer_init(&s->piece, BODY_BYTES);
    return s;
}

static void free_head(struct stream *s)
{
    free(s->method);
    free(s->path);
    free(s->authority);
    s->method = s->path = s->authority = NULL;
    buffer_deinit(&s->fields);
}

void stream_free(struct stream *s)
{
    if (s->request)
        request_end(s->request, s->of->address);
    free_head(s);
    buffer_deinit(&s->in);
    buffer_deinit(&s->piece);
    free(s);
}

/* ---- the headers ---- */

static bool is(const uint8_t *name, size_t n, const char *wanted)
{
    return n == strlen(wanted) && !memcmp(name, wanted, n);
}

static int keep(char **out, const uint8_t *value, size_t n)
{
    free(*out);
    *out = strndup((const char *)value, n);
    return *out ? 0 : -ENOMEM;
}

/* Whether the header Host says what :authority has said already. */
static bool repeats_authority(const struct stream *s, const uint8_t *name, size_t name_len, const uint8_t *value, size_t value_len)
{
    return is(name, name_len, "host") && s->authority && strlen(s->authority) == value_len &&
           !strncasecmp(s->authority, (const char *)value, value_len);
}

int stream_header(struct stream *s, const uint8_t *name, size_t name_len, const uint8_t *value, size_t value_len)
{
    s->head_bytes += name_len + value_len + 4;
    s->too_large = s->too_large || s->head_bytes > SERVER_HEAD_BYTES;
    if (s->too_large || is(name, name_len, ":scheme") || repeats_authority(s, name, name_len, value, value_len))
        return 0;
    if (is(name, name_len, ":method"))
        return keep(&s->method, value, value_len);
    if (is(name, name_len, ":path"))
        return keep(&s->path, value, value_len);
    if (is(name, name_len, ":authority"))
        return keep(&s->authority, value, value_len);
    buffer_put(&s->fields, name, name_len);
    buffer_put(&s->fields, ": ", 2);
    buffer_put(&s->fields, value, value_len);
    buffer_put(&s->fields, "\r\n", 2);
    return buffer_code(&s->fields);
}

/* Writes the head in the form of HTTP/1.1, so that the same strict reader checks it. */
static int write_head(struct stream *s, struct buffer *head)
{
    buffer_printf(head, "%s %s HTTP/1.1\r\n", s->method ? s->method : "", s->path ? s->path : "");
    if (s->authority)
        buffer_printf(head, "Host: %s\r\n", s->authority);
    buffer_put(head, s->fields.data, s->fields.len);
    buffer_put(head, "\r\n", 2);
    return buffer_code(head);
}

static void refuse_head(struct stream *s, unsigned status, const char *problem)
{
    counters_connection(&s->request->http.server->counters, CONNECTION_MALFORMED);
    http_error(&s->request->http, status, "malformed request: %s", problem);
}

static void read_head(struct stream *s, const struct buffer *head)
{
    struct http *h = &s->request->http;
    const char *problem = "a line within a header", *bytes = (const char *)head->data;
    size_t seen = 0;
    unsigned status = HTTP_BAD_REQUEST;
    if (head_find(bytes, head->len, &seen, &problem) == (long)head->len)
        status = head_parse(&h->head, bytes, head->len, &problem);
    h->method = h->head.method ? h->head.method : "";
    h->path = h->head.path ? h->head.path : "";
    if (status)
        refuse_head(s, status, problem);
    else
        grpc_init(&s->request->grpc, h);
}

/* Whether the stream's client does not wait for an answer any more. */
static bool is_gone(void *stream)
{
    struct stream *s = stream;
    return atomic_load_explicit(&s->gone, memory_order_relaxed) || grpc_is_over(&s->request->grpc) || transport_is_gone(s->of->transport);
}

bool stream_begin(struct stream *s)
{
    struct buffer head;
    buffer_init(&head, 8 * SERVER_HEAD_BYTES);
    s->request = request_new(s->of->server);
    if (!s->request || (!s->too_large && write_head(s, &head))) {
        buffer_deinit(&head);
        return false;
    }
    s->request->head = s->head_bytes;
    s->request->http.is_gone = is_gone;
    s->request->http.client = s;
    s->request->http.address = s->of->address;
    s->request->http.certificate = s->of->transport->certificate;
    if (s->too_large)
        refuse_head(s, HTTP_HEADERS_TOO_LARGE, "request line and headers have more than 32 KiB");
    else
        read_head(s, &head);
    s->work.job.owner = request_owner(s->request);
    buffer_deinit(&head);
    free_head(s);
    return true;
}

/* ---- the body ---- */

bool stream_body(struct stream *s, const uint8_t *bytes, size_t n)
{
    s->progress_ns = clock_monotonic_ns();
    buffer_put(&s->in, bytes, n);
    return !s->in.failed;
}

static enum stream_next work(struct stream *s, enum task task)
{
    s->work.task = task;
    s->working = true;
    return STREAM_WORK;
}

static enum stream_next begin(struct stream *s)
{
    bool complete = true;
    if (s->request->grpc.on) {
        size_t n = grpc_feed_prefix(&s->request->grpc, s->in.data, s->in.len, &complete);
        if (n) {
            memmove(s->in.data, s->in.data + n, s->in.len - n);
            s->in.len -= n;
            s->owed += n;
            s->request->came += n;
        }
    }
    if (!complete && !s->ended)
        return STREAM_WAIT;
    s->begun = true;
    return work(s, TASK_BEGIN);
}

/* Passes the received bytes to a worker. The two buffers change places, so that the loop can receive more meanwhile. */
static enum stream_next pass_body(struct stream *s)
{
    struct request *r = s->request;
    struct buffer taken = s->in;
    r->waited_ns += clock_monotonic_ns() - s->since_ns;
    s->in = s->piece;
    s->piece = taken;
    buffer_reset(&s->in);
    r->piece = s->piece.len;
    r->came += r->piece;
    r->body_done = s->ended;
    if (r->came > http_body_most(r->http.server)) { /* more than anybody will read */
        r->http.closing = true;
        r->piece = 0;
    }
    return work(s, TASK_BODY);
}

enum stream_next stream_next(struct stream *s)
{
    struct request *r = s->request;
    if (s->working)
        return STREAM_WAIT;
    if (s->piece.len) { /* a worker has taken it */
        s->owed += s->piece.len;
        buffer_reset(&s->piece);
    }
    if (s->closed)
        return r && r->http.takes_body ? work(s, TASK_DROP) : STREAM_FREE;
    if (!r || s->answering)
        return STREAM_WAIT;
    if (r->http.answered)
        return r->http.takes_body ? work(s, TASK_DROP) : STREAM_ANSWER;
    if (!s->begun)
        return begin(s);
    if (!r->http.takes_body || r->body_done)
        return STREAM_RESET;
    return s->in.len || s->ended ? pass_body(s) : STREAM_WAIT;
}

void stream_work(struct stream *s)
{
    request_work(s->request, &s->work, (const char *)s->piece.data);
}

void stream_give_up(struct stream *s, bool slow)
{
    struct http *h = &s->request->http;
    h->slow = slow;
    if (slow)
        http_error(h, HTTP_REQUEST_TIMEOUT, "the body of the request came too slowly");
    else
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "the server is ending");
}

bool stream_is_waiting(const struct stream *s)
{
    return s->request && !s->working && !s->answering && !s->closed && !s->ended && !s->request->http.answered;
}
