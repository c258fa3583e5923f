/* HTTP/2 and gRPC's unary calls, by nghttp2, on a connection of our own (wire.h). Each request is a stream. Without TLS, the server must
 * expect HTTP/2 at once ("prior knowledge"); with TLS, it is agreed by ALPN.
 *
 *     h2[s]://HOST[:80 or 443][/PATH]
 *     grpc[s]://HOST:PORT/PACKAGE.SERVICE/METHOD      the body of a request is the message, in protobuf's form
 */
#include "load/drivers/drivers.h"
#include "load/drivers/wire.h"

#include <ctype.h>
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADERS_MAX = 64, CALLS_MAX = 32, GRPC_PREFIX = 5, WINDOW = 16 << 20 };

/* The mark of a request: the HTTP status, and the status of gRPC plus one. */
#define STATUS(mark)      ((int)((mark)&0xffff))
#define GRPC_STATUS(mark) ((int)((mark) >> 16) - 1)

struct http2_target {
    struct wire_target wire; /* the first member */
    bool grpc;
    char authority[300];
};

/* The headers of one of the user's requests, made when it is first sent. */
struct http2_call {
    const struct candor_load_call *call;
    nghttp2_nv headers[HEADERS_MAX];
    size_t count;
    char *text; /* the names, in lower case, and values */
};

struct http2 {
    struct wire wire; /* the first member */
    nghttp2_session *session;
    struct http2_call calls[CALLS_MAX];
    uint32_t call_count;
    uint32_t streams;  /* open */
    bool ready;        /* the server's settings have come */
    bool leaving;      /* the server takes no new streams */
    char message[120]; /* of the last gRPC status that is an error */
};

static const struct http2_target *target_of(const struct http2 *c)
{
    return (const struct http2_target *)c->wire.shared;
}

/* ---- headers ---- */

static void add_header(struct http2_call *h, const char *name, const char *value, size_t value_len)
{
    if (h->count < HEADERS_MAX)
        h->headers[h->count++] = (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), value_len,
                                              NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

/* Headers of HTTP/1.1 that HTTP/2 forbids, or that the driver sends by itself. */
static bool is_left_out(const char *name)
{
    static const char *const names[] = {"connection",        "host",    "keep-alive",    "proxy-connection",
                                        "transfer-encoding", "upgrade", "content-length"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Adds the lines "Name: value\r\n" of h->text, which it cuts into names and values. */
static void add_lines(struct http2_call *h)
{
    for (char *line = h->text, *next; (next = strstr(line, "\r\n")); line = next + 2) {
        char *colon = memchr(line, ':', (size_t)(next - line));
        if (!colon)
            continue;
        for (char *at = line; at < colon; at++)
            *at = (char)tolower((unsigned char)*at);
        *colon = 0;
        char *value = colon + 1 + strspn(colon + 1, " \t");
        if (!is_left_out(line))
            add_header(h, line, value, value < next ? (size_t)(next - value) : 0);
    }
}

static const struct http2_call *headers_of(struct http2 *c, const struct candor_load_call *call)
{
    const struct http2_target *t = target_of(c);
    for (uint32_t i = 0; i < c->call_count; i++)
        if (c->calls[i].call == call)
            return &c->calls[i];
    struct http2_call *h = &c->calls[c->call_count];
    if (c->call_count == CALLS_MAX || !(h->text = strdup(call->headers)))
        return NULL;
    c->call_count++;
    h->call = call;
    const char *method = t->grpc ? "POST" : call->method;
    add_header(h, ":method", method, strlen(method));
    add_header(h, ":scheme", t->wire.tls ? "https" : "http", t->wire.tls ? 5 : 4);
    add_header(h, ":authority", t->authority, strlen(t->authority));
    add_header(h, ":path", call->path, strlen(call->path));
    if (t->grpc) {
        add_header(h, "content-type", "application/grpc", 16);
        add_header(h, "te", "trailers", 8);
    }
    add_lines(h);
    return h;
}

/* ---- requests ---- */

static void pump(struct http2 *c)
{
    const uint8_t *bytes;
    ssize_t n;
    while ((n = nghttp2_session_mem_send(c->session, &bytes)) > 0)
        buffer_put(&c->wire.out, bytes, (size_t)n);
    if (n < 0)
        wire_lose(&c->wire, nghttp2_strerror((int)n));
    else if (c->leaving && !c->streams)
        wire_lose(&c->wire, "the server has ended the connection");
}

/* Gives bytes of a body to nghttp2. r->data counts those that are given. */
static ssize_t read_body(nghttp2_session *session, int32_t stream, uint8_t *out, size_t size, uint32_t *flags, nghttp2_data_source *source,
                         void *context)
{
    struct candor_load_request *r = source->ptr;
    struct candor_load_bytes body = r->call->body;
    size_t prefix = target_of(context)->grpc ? GRPC_PREFIX : 0, at = (size_t)(uintptr_t)r->data, n = 0;
    for (; at < prefix && n < size; at++)
        out[n++] = at ? (uint8_t)(body.len >> (8 * (GRPC_PREFIX - 1 - at))) : 0;
    size_t left = prefix + body.len - at, more = left < size - n ? left : size - n;
    if (at >= prefix && more)
        memcpy(out + n, (const char *)body.at + (at - prefix), more);
    else
        more = 0;
    at += more, n += more;
    r->data = (void *)(uintptr_t)at;
    if (at == prefix + body.len)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

static void issue(void *connection, struct candor_load_request *r)
{
    struct http2 *c = connection;
    const struct http2_call *h = headers_of(c, r->call);
    nghttp2_data_provider body = {{.ptr = r}, read_body};
    r->mark = 0;
    r->data = NULL;
    if (c->leaving) {
        c->wire.host->again(c->wire.connection, r);
        return;
    }
    if (h && h->count == HEADERS_MAX) { /* some were left out */
        c->wire.host->done(c->wire.connection, r, CANDOR_LOAD_REFUSED, 0, "a request has more than 63 headers, with those of HTTP/2");
        return;
    }
    bool has_body = target_of(c)->grpc || r->call->body.len;
    int32_t stream = h ? nghttp2_submit_request(c->session, NULL, h->headers, h->count, has_body ? &body : NULL, r) : NGHTTP2_ERR_NOMEM;
    if (stream < 0)
        wire_lose(&c->wire, nghttp2_strerror(stream));
    else
        c->streams++;
}

static void flush(void *connection)
{
    struct http2 *c = connection;
    if (c->wire.state == WIRE_OPEN)
        pump(c);
    wire_flush(&c->wire);
}

/* ---- answers ---- */

static int number_of(const uint8_t *value, size_t len)
{
    int n = 0;
    for (size_t i = 0; i < len && i < 4; i++)
        n = value[i] >= '0' && value[i] <= '9' ? n * 10 + (value[i] - '0') : 999;
    return n;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_len, const uint8_t *value,
                     size_t value_len, uint8_t flags, void *context)
{
    struct http2 *c = context;
    struct candor_load_request *r = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!r)
        return 0;
    if (name_len == 7 && !memcmp(name, ":status", 7))
        r->mark = (r->mark & ~UINT64_C(0xffff)) | (uint64_t)number_of(value, value_len);
    else if (name_len == 11 && !memcmp(name, "grpc-status", 11))
        r->mark = (r->mark & 0xffff) | (uint64_t)(number_of(value, value_len) + 1) << 16;
    else if (name_len == 12 && !memcmp(name, "grpc-message", 12))
        snprintf(c->message, sizeof c->message, "%.*s", (int)value_len, (const char *)value);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t n, void *context)
{
    struct http2 *c = context;
    struct candor_load_request *r = nghttp2_session_get_stream_user_data(session, stream);
    if (r)
        c->wire.host->value(c->wire.connection, r, 0, bytes, n);
    return 0;
}

static void end_call(struct http2 *c, struct candor_load_request *r)
{
    int status = STATUS(r->mark), grpc = GRPC_STATUS(r->mark);
    bool good = status >= 200 && status < 400;
    char text[200];
    const char *problem = NULL;
    if (target_of(c)->grpc && (status != 200 || grpc)) {
        if (status == 200 && grpc > 0)
            snprintf(text, sizeof text, "the server answered with gRPC status %d: %s", grpc, c->message);
        else
            snprintf(text, sizeof text, "the server answered with status %d, and no gRPC status", status);
        problem = text;
        good = false;
    }
    c->message[0] = 0;
    c->wire.host->done(c->wire.connection, r, good ? CANDOR_LOAD_ANSWERED : CANDOR_LOAD_REFUSED, status, problem);
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t code, void *context)
{
    struct http2 *c = context;
    struct candor_load_request *r = nghttp2_session_get_stream_user_data(session, stream);
    char text[100];
    if (!r)
        return 0;
    c->streams--;
    if (code == NGHTTP2_REFUSED_STREAM) { /* the server has not begun with it, and wants fewer streams than this connection has */
        c->leaving = true;
        c->wire.host->again(c->wire.connection, r);
    } else if (code != NGHTTP2_NO_ERROR || !STATUS(r->mark)) {
        snprintf(text, sizeof text, "the stream was reset: %s", nghttp2_http2_strerror(code));
        c->wire.host->done(c->wire.connection, r, CANDOR_LOAD_BROKEN, 0, text);
    } else {
        end_call(c, r);
    }
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    struct http2 *c = context;
    if (frame->hd.type == NGHTTP2_GOAWAY)
        c->leaving = true;
    if (frame->hd.type != NGHTTP2_SETTINGS || c->ready)
        return 0;
    c->ready = true; /* not before: requests above the server's limit of streams would be refused */
    c->wire.host->ready(c->wire.connection);
    return 0;
}

/* A request that nghttp2 could not send, because the server is leaving. */
static int on_not_sent(nghttp2_session *session, const nghttp2_frame *frame, int error, void *context)
{
    struct http2 *c = context;
    struct candor_load_request *r = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (frame->hd.type != NGHTTP2_HEADERS || !r)
        return 0;
    nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, NULL);
    c->streams--;
    c->wire.host->again(c->wire.connection, r);
    return 0;
}

/* ---- the connection ---- */

static int begin(struct wire *w)
{
    struct http2 *c = (struct http2 *)w;
    nghttp2_session_callbacks *callbacks;
    nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW}};
    if (nghttp2_session_callbacks_new(&callbacks))
        return -ENOMEM;
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, on_not_sent);
    int rc = nghttp2_session_client_new(&c->session, callbacks, c);
    nghttp2_session_callbacks_del(callbacks);
    if (rc || nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, settings, 2) ||
        nghttp2_session_set_local_window_size(c->session, NGHTTP2_FLAG_NONE, 0, WINDOW))
        return -ENOMEM;
    pump(c);
    return 0;
}

static int feed(struct wire *w, const uint8_t *bytes, size_t n, struct error *e)
{
    struct http2 *c = (struct http2 *)w;
    ssize_t taken = nghttp2_session_mem_recv(c->session, bytes, n);
    if (taken < 0)
        return error_set(e, -EPROTO, "the answer is not one of HTTP/2: %s", nghttp2_strerror((int)taken));
    pump(c);
    return 0;
}

static void end(struct wire *w)
{
    struct http2 *c = (struct http2 *)w;
    nghttp2_session_del(c->session);
    for (uint32_t i = 0; i < c->call_count; i++)
        free(c->calls[i].text);
}

static const struct wire_protocol protocol = {sizeof(struct http2), begin, feed, end};

/* ---- the driver ---- */

static void close_target(void *target)
{
    struct http2_target *t = target;
    wire_close(&t->wire);
    free(t);
}

static void *open_target(const struct candor_load_target *target, char *message, size_t size)
{
    bool tls = target->scheme[strlen(target->scheme) - 1] == 's', v6 = strchr(target->host, ':') != NULL;
    struct http2_target *t = wire_new(sizeof *t, target, tls ? "443" : "80", tls, "h2", message, size);
    if (t) {
        t->grpc = !strncmp(target->scheme, "grpc", 4);
        snprintf(t->authority, sizeof t->authority, "%s%s%s%s%s", v6 ? "[" : "", target->host, v6 ? "]" : "", *target->port ? ":" : "",
                 target->port);
    }
    return t;
}

static void *connect_target(void *target, const struct candor_load_host *host, struct candor_load_connection *c)
{
    return wire_connect(&protocol, target, host, c);
}

const struct candor_load_driver driver_http2 = {
    .version = CANDOR_LOAD_DRIVER_VERSION,
    .name = "HTTP/2",
    .actions = 1 << CANDOR_LOAD_CALL,
    .open = open_target,
    .close = close_target,
    .connect = connect_target,
    .disconnect = wire_disconnect,
    .issue = issue,
    .flush = flush,
    .event = wire_event,
};

const struct candor_load_driver driver_grpc = {
    .version = CANDOR_LOAD_DRIVER_VERSION,
    .name = "gRPC",
    .actions = 1 << CANDOR_LOAD_CALL,
    .open = open_target,
    .close = close_target,
    .connect = connect_target,
    .disconnect = wire_disconnect,
    .issue = issue,
    .flush = flush,
    .event = wire_event,
};
