#include "server/front/connection.h"

#include "base/map.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/front/http2.h"
#include "server/front/request.h"
#include "server/front/stream.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEAD_BYTES = 2 << 10, /* bytes to read first: most heads are smaller */
    DROP_BYTES = 16 << 10,
    WRITE_BYTES = 16 << 10, /* one record of TLS */
    BODY_BYTES = 64 << 10,  /* bytes of a body to read before a worker gets them */
    TURN = 16,              /* reads or writes of one connection before other connections have their turn */
    LINGER_S = 5,
};

struct connection *connection_new(struct server *s, int fd, struct place *place, const struct sockaddr *peer, struct transport_keys *keys)
{
    struct connection *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct connection){.work = {.connection = c}, .server = s, .place = place, .since_ns = clock_monotonic_ns()};
    buffer_init(&c->in, 2 * BODY_BYTES);
    getnameinfo(peer, peer->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in), c->address, sizeof c->address,
                NULL, 0, NI_NUMERICHOST);
    c->work.job.owner = hash_bytes(c->address, strlen(c->address));
    if (transport_open(&c->transport, fd, keys)) {
        if (c->transport.tls)
            gnutls_deinit(c->transport.tls);
        transport_put_keys(c->transport.keys);
        free(c);
        return NULL;
    }
    return c;
}

static void end_request(struct connection *c)
{
    request_end(c->request, c->address);
    c->request = NULL;
}

bool connection_free(struct connection *c)
{
    if (c->http2 && !http2_free(c->http2)) {
        c->state = CONNECTION_ENDED;
        return false;
    }
    if (c->request)
        end_request(c);
    buffer_deinit(&c->in);
    transport_close(&c->transport, c->reset);
    free(c);
    return true;
}

/* ---- states ---- */

static enum want enter(struct connection *c, int state)
{
    uint64_t now = clock_monotonic_ns();
    if (c->state == CONNECTION_BODY)
        c->request->waited_ns += now - c->since_ns;
    c->state = state;
    c->since_ns = c->progress_ns = now;
    return WANT_GO_ON;
}

/* Passes work to a worker. The time of a handshake includes all its parts. */
static enum want work(struct connection *c, enum task task)
{
    c->work.task = task;
    if (task == TASK_HANDSHAKE)
        c->state = CONNECTION_WORK;
    else
        enter(c, CONNECTION_WORK);
    return WANT_WORK;
}

/* Ends a connection that has failed. If a handler waits for the body, the handler is informed first. */
static enum want give_up(struct connection *c)
{
    return c->request && c->request->http.takes_body ? work(c, TASK_DROP) : WANT_CLOSE;
}

static enum want start_answer(struct connection *c)
{
    struct request *r = c->request;
    if (!r->http.answered)
        return WANT_CLOSE;
    r->keep = r->http.head.keep_alive && r->body_done && !r->http.closing && !c->server->stop.asked;
    request_write_top(r);
    return r->top_len ? enter(c, CONNECTION_ANSWER) : WANT_CLOSE;
}

/* Answers with an error to bytes that are no request, or to a request whose rest cannot be read. The connection is closed after the
 * answer. */
static enum want refuse(struct connection *c, unsigned status, const char *text)
{
    if (!c->request && !(c->request = request_new(c->server)))
        return WANT_CLOSE;
    if (!c->request->head)
        c->request->head = c->in.len;
    struct http *h = &c->request->http;
    h->closing = true;
    if (!h->answered)
        http_error(h, status, "%s", text);
    return h->takes_body ? work(c, TASK_DROP) : start_answer(c);
}

static enum want refuse_malformed(struct connection *c, unsigned status, const char *problem)
{
    counters_connection(&c->server->counters, CONNECTION_MALFORMED);
    char text[200];
    snprintf(text, sizeof text, "malformed request: %s", problem);
    return refuse(c, status, text);
}

/* ---- reading ---- */

static void consume(struct connection *c, size_t n)
{
    struct buffer *in = &c->in;
    memmove(in->data, in->data + n, in->len - n);
    in->len -= n;
    if (!in->len && in->cap > HEAD_BYTES)
        buffer_deinit(in);
}

/* Reads up to `piece` more bytes, but not more than `most` in all. */
static enum want fill(struct connection *c, size_t piece, size_t most)
{
    size_t room = most - c->in.len, n = room < piece ? room : piece;
    uint8_t *at = buffer_reserve(&c->in, n);
    ssize_t got = at ? transport_read(&c->transport, at, n) : -ENOMEM;
    if (got == -EAGAIN) {
        if (!c->in.len)
            buffer_deinit(&c->in);
        return transport_is_for_writing(&c->transport) ? WANT_WRITE : WANT_READ;
    }
    if (got <= 0)
        return give_up(c);
    buffer_advance(&c->in, (size_t)got);
    c->progress_ns = clock_monotonic_ns();
    return WANT_GO_ON;
}

static bool is_gone(void *transport)
{
    return transport_is_gone(transport);
}

static enum want begin_request(struct connection *c, size_t n)
{
    const char *problem;
    struct request *r = c->request = request_new(c->server);
    c->begun = true;
    if (!r)
        return WANT_CLOSE;
    unsigned status = head_parse(&r->http.head, (const char *)c->in.data, n, &problem);
    r->http.method = r->http.head.method;
    r->http.path = r->http.head.path;
    r->http.is_gone = is_gone;
    r->http.client = &c->transport;
    r->http.address = c->address;
    r->http.certificate = c->transport.certificate;
    r->head = n;
    consume(c, n);
    c->seen = 0;
    if (status)
        return refuse_malformed(c, status, problem);
    c->work.job.owner = request_owner(r);
    request_begin_body(r);
    return work(c, TASK_BEGIN);
}

/* Goes on with HTTP/2, which has begun with the received bytes. */
static enum want begin_http2(struct connection *c)
{
    const struct peer of = {
        .server = c->server, .transport = &c->transport, .connection = c, .place = c->place, .address = c->address, .reset = &c->reset};
    c->http2 = http2_new(&of);
    if (!c->http2)
        return WANT_CLOSE;
    enter(c, CONNECTION_HTTP2);
    enum want want = http2_receive(c->http2, c->in.data, c->in.len);
    buffer_deinit(&c->in);
    return want;
}

/* Whether the connection may still become one of HTTP/2, and must wait for more bytes to see it. */
static bool may_be_http2(const struct connection *c)
{
    size_t n = c->in.len < HTTP2_PREFACE_BYTES ? c->in.len : HTTP2_PREFACE_BYTES;
    return !c->begun && n && !memcmp(c->in.data, HTTP2_PREFACE, n);
}

static enum want read_head(struct connection *c)
{
    const char *problem;
    bool empty = !c->in.len, http2 = may_be_http2(c);
    if (http2 && c->in.len >= HTTP2_PREFACE_BYTES)
        return begin_http2(c);
    long n = empty || http2 ? 0 : head_find((const char *)c->in.data, c->in.len, &c->seen, &problem);
    if (n < 0)
        return refuse_malformed(c, HTTP_BAD_REQUEST, problem);
    if (n > SERVER_HEAD_BYTES || (!n && c->in.len >= SERVER_HEAD_BYTES))
        return refuse_malformed(c, HTTP_HEADERS_TOO_LARGE, "request line and headers have more than 32 KiB");
    if (n)
        return begin_request(c, (size_t)n);
    enum want want = fill(c, HEAD_BYTES, SERVER_HEAD_BYTES);
    if (want == WANT_GO_ON && empty)
        c->since_ns = c->progress_ns;
    return want;
}

/* Decides how to continue after the handler has seen the head. If a connection is closed before the body was read, it is reset, and the
 * client may never see the answer. So an answer waits for the end of the body, unless the client waits for the answer before it sends
 * the body (Expect), or would send for a long time. */
static enum want after_head(struct connection *c)
{
    struct request *r = c->request;
    const struct http *h = &r->http;
    bool waits = h->head.expects && !c->in.len;
    if (!h->answered && !h->takes_body)
        return WANT_CLOSE;
    if (r->body_done && h->answered)
        return start_answer(c);
    if (h->answered && (waits || h->head.length > http_body_most(c->server)))
        return refuse(c, h->status, "");
    if (!r->body_done && waits) {
        request_write_continue(r);
        return enter(c, CONNECTION_ANSWER);
    }
    return r->body_done ? work(c, TASK_BODY) : enter(c, CONNECTION_BODY);
}

static enum want read_body(struct connection *c)
{
    struct request *r = c->request;
    const char *problem;
    if (!c->in.len)
        return fill(c, BODY_BYTES, BODY_BYTES);
    if (request_take_body(r, (char *)c->in.data, c->in.len, &problem))
        return refuse_malformed(c, HTTP_BAD_REQUEST, problem);
    if (r->came > http_body_most(c->server)) { /* more than anybody will read */
        r->http.closing = true;
        r->piece = 0;
        return r->http.answered ? start_answer(c) : work(c, TASK_BODY);
    }
    if (!r->http.answered && (r->piece || r->body_done))
        return work(c, TASK_BODY);
    consume(c, r->used);
    return r->body_done ? start_answer(c) : WANT_GO_ON;
}

static enum want linger(struct connection *c)
{
    char dropped[DROP_BYTES];
    ssize_t n = transport_read(&c->transport, dropped, sizeof dropped);
    if (n == -EAGAIN)
        return WANT_READ;
    return n > 0 ? WANT_GO_ON : WANT_CLOSE;
}

/* ---- writing ---- */

static enum want end_answer(struct connection *c)
{
    struct request *r = c->request;
    if (r->interim)
        return enter(c, CONNECTION_BODY);
    bool keep = r->keep;
    end_request(c);
    if (!keep) {
        transport_finish(&c->transport);
        return enter(c, CONNECTION_LINGER);
    }
    enter(c, CONNECTION_HEAD);
    if (c->in.len || transport_has_bytes(&c->transport))
        return WANT_GO_ON;
    buffer_deinit(&c->in);
    return WANT_READ;
}

static enum want write_answer(struct connection *c)
{
    struct request *r = c->request;
    size_t n;
    bool more;
    const char *bytes = request_next(r, &n, &more);
    if (!n)
        return end_answer(c);
    ssize_t put = transport_write(&c->transport, bytes, n < WRITE_BYTES ? n : WRITE_BYTES, more);
    if (put == -EAGAIN)
        return transport_is_for_writing(&c->transport) || !c->transport.tls ? WANT_WRITE : WANT_READ;
    if (put < 0)
        return give_up(c);
    r->sent += (uint64_t)put;
    c->progress_ns = clock_monotonic_ns();
    return WANT_GO_ON;
}

/* ---- HTTP/2 ---- */

static enum want go_http2(struct connection *c)
{
    enum want want = http2_go(c->http2);
    if (want != WANT_CLOSE || !http2_is_complete(c->http2))
        return want;
    transport_finish(&c->transport);
    return enter(c, CONNECTION_LINGER);
}

static enum want stream_worked(struct connection *c, struct stream *s)
{
    http2_worked(c->http2, s);
    if (c->state == CONNECTION_ENDED)
        return http2_is_busy(c->http2) ? WANT_NOTHING : WANT_CLOSE;
    return c->state == CONNECTION_HTTP2 ? connection_go(c) : WANT_NOTHING;
}

/* ---- for the loop ---- */

struct work *connection_next_work(struct connection *c)
{
    return c->http2 ? http2_next_work(c->http2) : NULL;
}

static enum want go(struct connection *c)
{
    switch (c->state) {
    case CONNECTION_HANDSHAKE:
        return c->transport.tls ? work(c, TASK_HANDSHAKE) : enter(c, CONNECTION_HEAD);
    case CONNECTION_HEAD:
        return read_head(c);
    case CONNECTION_BODY:
        return read_body(c);
    case CONNECTION_ANSWER:
        return write_answer(c);
    case CONNECTION_LINGER:
        return linger(c);
    case CONNECTION_HTTP2:
        return go_http2(c);
    default: /* a worker has the connection; the event happened before it got it */
        return WANT_NOTHING;
    }
}

enum want connection_go(struct connection *c)
{
    enum want want = WANT_GO_ON;
    for (int i = 0; i < TURN && want == WANT_GO_ON; i++)
        want = go(c);
    return want == WANT_GO_ON ? WANT_TURN : want;
}

static enum want after_handshake(struct connection *c)
{
    if (c->result == -EAGAIN) {
        c->state = CONNECTION_HANDSHAKE;
        return transport_is_for_writing(&c->transport) ? WANT_WRITE : WANT_READ;
    }
    return c->result ? WANT_CLOSE : enter(c, CONNECTION_HEAD);
}

static enum want after_body(struct connection *c)
{
    struct request *r = c->request;
    if (c->in.len)
        consume(c, r->used);
    r->used = 0;
    return r->body_done || r->http.answered ? start_answer(c) : enter(c, CONNECTION_BODY);
}

enum want connection_worked(struct work *w)
{
    struct connection *c = w->connection;
    enum want want;
    if (w->stream)
        return stream_worked(c, w->stream);
    switch (w->task) {
    case TASK_HANDSHAKE:
        want = after_handshake(c);
        break;
    case TASK_BEGIN:
        want = after_head(c);
        break;
    case TASK_BODY:
        want = after_body(c);
        break;
    default:
        want = start_answer(c);
    }
    return want == WANT_GO_ON ? connection_go(c) : want;
}

static enum want stop(struct connection *c, uint64_t waited_ns)
{
    switch (c->state) {
    case CONNECTION_BODY:
    case CONNECTION_LINGER:
        return waited_ns > STOP_BODY_S * NS_PER_S ? give_up(c) : WANT_NOTHING;
    case CONNECTION_ANSWER:
    case CONNECTION_WORK:
    case CONNECTION_HTTP2: /* see tick_http2 */
    case CONNECTION_ENDED:
        return WANT_NOTHING;
    default:
        return WANT_CLOSE;
    }
}

static enum want refuse_slow(struct connection *c, enum connection_event what, const char *text)
{
    counters_connection(&c->server->counters, what);
    enum want want = refuse(c, HTTP_REQUEST_TIMEOUT, text);
    return want == WANT_GO_ON ? connection_go(c) : want;
}

static enum want close_slow(struct connection *c, enum connection_event what)
{
    counters_connection(&c->server->counters, what);
    c->reset = true;
    return give_up(c);
}

static enum want tick_http2(struct connection *c, uint64_t now_ns, bool stopping)
{
    enum want want = http2_tick(c->http2, now_ns, stopping);
    return want == WANT_GO_ON ? connection_go(c) : want;
}

enum want connection_tick(struct connection *c, uint64_t now_ns, bool stopping)
{
    uint64_t patience = c->server->limits.patience_ns, waited = now_ns > c->since_ns ? now_ns - c->since_ns : 0;
    struct request *r = c->request;
    enum want want = stopping ? stop(c, waited) : WANT_NOTHING;
    if (want != WANT_NOTHING || c->progress_ns > now_ns)
        return want;
    switch (c->state) {
    case CONNECTION_HANDSHAKE:
        return waited > patience ? close_slow(c, CONNECTION_SLOW_HANDSHAKE) : WANT_NOTHING;
    case CONNECTION_HEAD:
        if (!c->in.len)
            return waited > IDLE_PATIENCES * patience ? WANT_CLOSE : WANT_NOTHING;
        return waited > patience ? refuse_slow(c, CONNECTION_SLOW_HEAD, "the head of the request took too long") : WANT_NOTHING;
    case CONNECTION_BODY:
        if (!request_is_slow(r, now_ns, c->progress_ns, r->waited_ns + waited, r->came, SERVER_RATE))
            return WANT_NOTHING;
        r->http.slow = true;
        return refuse_slow(c, CONNECTION_SLOW_BODY, "the body of the request came too slowly");
    case CONNECTION_ANSWER:
        return request_is_slow(r, now_ns, c->progress_ns, waited, r->sent, request_least_rate(r)) ? close_slow(c, CONNECTION_SLOW_READER)
                                                                                                  : WANT_NOTHING;
    case CONNECTION_LINGER:
        return waited > LINGER_S * NS_PER_S ? WANT_CLOSE : WANT_NOTHING;
    case CONNECTION_HTTP2:
        return tick_http2(c, now_ns, stopping);
    default:
        return WANT_NOTHING;
    }
}

/* ---- for a worker ---- */

enum lane connection_lane(const struct work *w)
{
    const struct request *r = w->stream ? w->stream->request : w->connection->request;
    return w->task == TASK_HANDSHAKE || !r ? LANE_SHORT : request_lane(r);
}

void connection_work(struct work *w)
{
    struct connection *c = w->connection;
    if (w->task == TASK_HANDSHAKE)
        c->result = transport_handshake(&c->transport);
    else if (w->stream)
        stream_work(w->stream);
    else
        request_work(c->request, w, (const char *)c->in.data);
}
