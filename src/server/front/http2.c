#include "server/front/http2.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "server/front/flood.h"
#include "server/front/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    STREAMS = 32,                  /* requests at once that a client may have on a connection */
    STREAMS_ALIVE = 2 * STREAMS,   /* the same, and requests that it has reset while a worker has them */
    STREAM_WINDOW = 128 << 10,     /* bytes of a body that wait for a worker */
    CONNECTION_WINDOW = 256 << 10, /* the same for all bodies of a connection together */
    READ_BYTES = 16 << 10,
    FRAME_HEAD = 9,       /* bytes */
    OUT_BYTES = 16 << 10, /* one record of TLS */
};

struct http2 {
    struct peer of;
    nghttp2_session *session;
    struct stream *streams;
    uint32_t count;
    struct stream *work, **last_work; /* streams with work to submit */
    struct buffer out;                /* frames to send; the first `sent` bytes were sent */
    size_t sent;
    struct flood flood;
    bool flooded;
    bool broken;          /* nothing is read any more */
    bool ended;           /* all streams were ended */
    uint64_t progress_ns; /* when bytes were last received or sent */
    uint64_t idle_ns;     /* when the last request ended */
    uint64_t headers_ns;  /* when headers began that are not complete; 0 = none */
};

static void count(struct http2 *h2, enum connection_event what)
{
    counters_connection(&h2->of.server->counters, what);
}

/* ---- streams ---- */

static void add_stream(struct http2 *h2, struct stream *s)
{
    s->next = h2->streams;
    s->at = &h2->streams;
    if (s->next)
        s->next->at = &s->next;
    h2->streams = s;
    h2->count++;
    h2->of.place->streams++;
}

static void free_stream(struct http2 *h2, struct stream *s)
{
    size_t owed = s->owed + s->in.len;
    *s->at = s->next;
    if (s->next)
        s->next->at = s->at;
    h2->count--;
    h2->of.place->streams--;
    h2->idle_ns = clock_monotonic_ns();
    if (owed && h2->session)
        nghttp2_session_consume_connection(h2->session, owed);
    stream_free(s);
}

static void submit(struct http2 *h2, struct stream *s)
{
    s->next_work = NULL;
    *h2->last_work = s;
    h2->last_work = &s->next_work;
}

static void reset(struct http2 *h2, struct stream *s, uint32_t code)
{
    s->answering = true;
    nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, s->id, code);
}

/* Does everything for a stream that needs no waiting. The stream may be freed. */
static void advance(struct http2 *h2, struct stream *s)
{
    enum stream_next next;
    while ((next = stream_next(s)) == STREAM_ANSWER || next == STREAM_RESET)
        if (next == STREAM_RESET || stream_answer(s, h2->session))
            reset(h2, s, NGHTTP2_INTERNAL_ERROR);
    if (next == STREAM_WORK)
        submit(h2, s);
    if (next == STREAM_FREE) {
        free_stream(h2, s);
        return;
    }
    if (s->owed && !s->closed) {
        nghttp2_session_consume(h2->session, s->id, s->owed);
        s->owed = 0;
    }
}

static void advance_all(struct http2 *h2)
{
    for (struct stream *s = h2->streams, *next; s; s = next) {
        next = s->next;
        advance(h2, s);
    }
}

static void close_stream(struct stream *s)
{
    s->closed = true;
    atomic_store_explicit(&s->gone, true, memory_order_relaxed);
}

/* Ends all streams. Those whose handler waits for the body are passed to a worker once more. */
static void end_streams(struct http2 *h2)
{
    if (h2->ended)
        return;
    h2->ended = true;
    for (struct stream *s = h2->streams; s; s = s->next)
        close_stream(s);
    advance_all(h2);
}

/* ---- functions that nghttp2 calls ---- */

/* Whether an error that we send says that the client has made a mistake. */
static bool is_mistake(uint32_t code)
{
    return code != NGHTTP2_NO_ERROR && code != NGHTTP2_REFUSED_STREAM && code != NGHTTP2_CANCEL && code != NGHTTP2_INTERNAL_ERROR &&
           code != NGHTTP2_ENHANCE_YOUR_CALM && code != NGHTTP2_STREAM_CLOSED;
}

static uint32_t price_of(const nghttp2_frame_hd *hd)
{
    switch (hd->type) {
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA: /* see on_frame */
    case NGHTTP2_WINDOW_UPDATE:
        return 0;
    case NGHTTP2_RST_STREAM:
        return FLOOD_RESET;
    default:
        return FLOOD_FRAME;
    }
}

/* The price of a stream that we reset. A client pays for its mistakes and for streams beyond the limit, but not for what we could not do,
 * nor for frames that were on their way when the stream was over. */
static uint32_t price_of_reset(uint32_t code)
{
    if (code == NGHTTP2_REFUSED_STREAM)
        return FLOOD_FRAME;
    return is_mistake(code) ? FLOOD_RESET : 0;
}

static int pay(struct http2 *h2, uint32_t price)
{
    if (!price || flood_pay(&h2->flood, price, clock_monotonic_ns()))
        return 0;
    h2->flooded = true;
    return NGHTTP2_ERR_CALLBACK_FAILURE;
}

static int on_begin_frame(nghttp2_session *session, const nghttp2_frame_hd *hd, void *context)
{
    struct http2 *h2 = context;
    if (hd->type != NGHTTP2_CONTINUATION) /* any other frame shows that the headers before it are over, even if nghttp2 has ignored them */
        h2->headers_ns = hd->type == NGHTTP2_HEADERS ? clock_monotonic_ns() : 0;
    return pay(h2, price_of(hd));
}

/* Malformed headers: nghttp2 resets the stream, and calls on_frame no more. */
static int on_invalid_frame(nghttp2_session *session, const nghttp2_frame *frame, int code, void *context)
{
    struct http2 *h2 = context;
    if (frame->hd.type == NGHTTP2_HEADERS)
        h2->headers_ns = 0;
    return 0;
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    struct http2 *h2 = context;
    int32_t id = frame->hd.stream_id;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    bool full = h2->count >= STREAMS_ALIVE || h2->of.place->streams >= h2->of.server->limits.connections_of_one;
    if (full)
        count(h2, CONNECTION_TOO_MANY_STREAMS);
    struct stream *s = full || h2->of.server->stop.asked ? NULL : stream_new(&h2->of, id);
    if (!s)
        return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM) ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
    add_stream(h2, s);
    nghttp2_session_set_stream_user_data(session, id, s);
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_len, const uint8_t *value,
                     size_t value_len, uint8_t flags, void *context)
{
    struct stream *s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!s || s->request || frame->hd.type != NGHTTP2_HEADERS) /* trailers are dropped */
        return 0;
    return stream_header(s, name, name_len, value, value_len) ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE : 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    struct http2 *h2 = context;
    struct stream *s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    bool end = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
    if (frame->hd.type == NGHTTP2_HEADERS)
        h2->headers_ns = 0;
    if (frame->hd.type == NGHTTP2_DATA && !end && frame->hd.length == frame->data.padlen && pay(h2, FLOOD_FRAME))
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (!s || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA))
        return 0;
    if (!s->request && !stream_begin(s))
        reset(h2, s, NGHTTP2_INTERNAL_ERROR);
    s->ended = s->ended || end;
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes, size_t n, void *context)
{
    struct stream *s = nghttp2_session_get_stream_user_data(session, id);
    if (!s)
        nghttp2_session_consume(session, id, n);
    else if (s->answering)
        s->owed += n;
    else if (!stream_body(s, bytes, n)) {
        s->owed += n;
        reset(context, s, NGHTTP2_INTERNAL_ERROR);
    }
    return 0;
}

/* Counts a client's mistake, by the answer of nghttp2. */
static void count_error(struct http2 *h2, uint32_t code)
{
    if (is_mistake(code))
        count(h2, CONNECTION_MALFORMED);
}

/* Ends the connection with an error that the client sees. */
static void fail(struct http2 *h2, uint32_t code)
{
    h2->broken = true;
    if (h2->flooded)
        count(h2, CONNECTION_FLOODED);
    nghttp2_session_terminate_session(h2->session, code);
}

static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    struct http2 *h2 = context;
    struct stream *s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (frame->hd.type == NGHTTP2_GOAWAY)
        count_error(h2, frame->goaway.error_code);
    if (frame->hd.type == NGHTTP2_RST_STREAM) {
        count_error(h2, frame->rst_stream.error_code);
        pay(h2, price_of_reset(frame->rst_stream.error_code)); /* fill() ends the connection if it cannot pay */
    }
    if (!s || !s->request || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA))
        return 0;
    s->request->sent += frame->hd.length + FRAME_HEAD;
    s->progress_ns = clock_monotonic_ns();
    if (!(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        return 0;
    flood_answered(&h2->flood);
    return s->ended ? 0 : nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, s->id, NGHTTP2_NO_ERROR);
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *context)
{
    struct stream *s = nghttp2_session_get_stream_user_data(session, id);
    if (s)
        close_stream(s);
    return 0;
}

/* ---- start and end ---- */

static int make_session(struct http2 *h2, nghttp2_session_callbacks *callbacks, nghttp2_option *option)
{
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, on_begin_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_option_set_no_auto_window_update(option, 1); /* a window grows when the bytes are dealt with */
    nghttp2_option_set_no_closed_streams(option, 1);
    return nghttp2_session_server_new2(&h2->session, callbacks, h2, option);
}

static int start_session(struct http2 *h2)
{
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, SERVER_HEAD_BYTES},
    };
    int rc = nghttp2_session_callbacks_new(&callbacks);
    rc = rc ? rc : nghttp2_option_new(&option);
    rc = rc ? rc : make_session(h2, callbacks, option);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(option);
    rc = rc ? rc : nghttp2_submit_settings(h2->session, NGHTTP2_FLAG_NONE, settings, sizeof settings / sizeof *settings);
    return rc ? rc : nghttp2_session_set_local_window_size(h2->session, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW);
}

struct http2 *http2_new(const struct peer *of)
{
    struct http2 *h2 = calloc(1, sizeof *h2);
    uint64_t now = clock_monotonic_ns();
    if (!h2)
        return NULL;
    *h2 = (struct http2){.of = *of, .last_work = &h2->work, .idle_ns = now, .progress_ns = now};
    flood_init(&h2->flood, now);
    buffer_init(&h2->out, 1 << 20);
    if (!start_session(h2))
        return h2;
    nghttp2_session_del(h2->session);
    free(h2);
    return NULL;
}

bool http2_is_busy(const struct http2 *h2)
{
    return h2->streams;
}

bool http2_free(struct http2 *h2)
{
    end_streams(h2);
    if (http2_is_busy(h2))
        return false;
    nghttp2_session_del(h2->session);
    buffer_deinit(&h2->out);
    free(h2);
    return true;
}

/* ---- receiving and sending ---- */

enum want http2_receive(struct http2 *h2, const uint8_t *bytes, size_t n)
{
    h2->progress_ns = clock_monotonic_ns();
    ssize_t used = nghttp2_session_mem_recv(h2->session, bytes, n);
    h2->flooded = h2->flooded || used == NGHTTP2_ERR_FLOODED || used == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS;
    if (used < 0)
        fail(h2, h2->flooded ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_INTERNAL_ERROR);
    advance_all(h2);
    return WANT_GO_ON;
}

/* Fills the buffer with frames. Returns false if the connection cannot continue. */
static bool fill(struct http2 *h2)
{
    const uint8_t *bytes;
    ssize_t n = 0;
    h2->sent = 0;
    buffer_reset(&h2->out);
    while (h2->out.len < OUT_BYTES && (n = nghttp2_session_mem_send(h2->session, &bytes)) > 0)
        buffer_put(&h2->out, bytes, (size_t)n);
    if (h2->flooded && !h2->broken)
        fail(h2, NGHTTP2_ENHANCE_YOUR_CALM);
    advance_all(h2);
    return n >= 0 && !h2->out.failed;
}

/* Sends some bytes. Returns WANT_NOTHING if there are none. */
static enum want send_some(struct http2 *h2)
{
    if (h2->sent == h2->out.len && nghttp2_session_want_write(h2->session) && !fill(h2))
        return WANT_CLOSE;
    size_t n = h2->out.len - h2->sent;
    if (!n) {
        buffer_deinit(&h2->out);
        h2->sent = 0;
        return WANT_NOTHING;
    }
    ssize_t put = transport_write(h2->of.transport, h2->out.data + h2->sent, n < OUT_BYTES ? n : OUT_BYTES, false);
    if (put == -EAGAIN)
        return transport_is_for_writing(h2->of.transport) || !h2->of.transport->tls ? WANT_WRITE : WANT_READ;
    if (put < 0)
        return WANT_CLOSE;
    h2->sent += (size_t)put;
    h2->progress_ns = clock_monotonic_ns();
    return WANT_GO_ON;
}

static enum want receive(struct http2 *h2)
{
    uint8_t bytes[READ_BYTES];
    ssize_t got = transport_read(h2->of.transport, bytes, sizeof bytes);
    if (got == -EAGAIN)
        return transport_is_for_writing(h2->of.transport) ? WANT_WRITE : WANT_READ;
    return got <= 0 ? WANT_CLOSE : http2_receive(h2, bytes, (size_t)got);
}

bool http2_is_complete(const struct http2 *h2)
{
    return h2->sent == h2->out.len && (h2->broken || !nghttp2_session_want_read(h2->session)) && !nghttp2_session_want_write(h2->session);
}

enum want http2_go(struct http2 *h2)
{
    enum want want = send_some(h2);
    if (want != WANT_NOTHING)
        return want;
    if (!http2_is_complete(h2))
        return receive(h2);
    end_streams(h2);
    return WANT_CLOSE;
}

void http2_worked(struct http2 *h2, struct stream *s)
{
    const struct request *r = s->request;
    s->working = false;
    s->since_ns = s->progress_ns = clock_monotonic_ns();
    if (s->work.task == TASK_BEGIN && r->http.takes_body && r->http.head.expects && !s->ended && !s->closed && !s->in.len)
        stream_continue(s, h2->session);
    advance(h2, s);
}

struct work *http2_next_work(struct http2 *h2)
{
    struct stream *s = h2->work;
    if (!s)
        return NULL;
    h2->work = s->next_work;
    if (!h2->work)
        h2->last_work = &h2->work;
    return &s->work;
}

/* ---- time ---- */

static void tick_stream(struct http2 *h2, struct stream *s, uint64_t now_ns, bool stopping)
{
    struct request *r = s->request;
    uint64_t waited = now_ns > s->since_ns ? now_ns - s->since_ns : 0;
    if (now_ns < s->progress_ns)
        return;
    if (stream_is_waiting(s)) {
        bool slow = request_is_slow(r, now_ns, s->progress_ns, r->waited_ns + waited, r->came + s->in.len, SERVER_RATE);
        if (slow)
            count(h2, CONNECTION_SLOW_BODY);
        if (slow || (stopping && waited > STOP_BODY_S * NS_PER_S))
            stream_give_up(s, slow);
    } else if (s->answering && !s->closed && request_is_slow(r, now_ns, s->progress_ns, waited, r->sent, request_least_rate(r))) {
        count(h2, CONNECTION_SLOW_READER);
        reset(h2, s, NGHTTP2_CANCEL);
    }
}

enum want http2_tick(struct http2 *h2, uint64_t now_ns, bool stopping)
{
    uint64_t patience = h2->of.server->limits.patience_ns, idle = now_ns > h2->idle_ns ? now_ns - h2->idle_ns : 0;
    if (h2->sent < h2->out.len && now_ns > h2->progress_ns + patience) {
        count(h2, CONNECTION_SLOW_READER);
        *h2->of.reset = true;
        return WANT_CLOSE;
    }
    if (h2->headers_ns && now_ns > h2->headers_ns + patience && !h2->broken) {
        count(h2, CONNECTION_SLOW_HEAD);
        fail(h2, NGHTTP2_ENHANCE_YOUR_CALM);
    }
    for (struct stream *s = h2->streams; s; s = s->next)
        tick_stream(h2, s, now_ns, stopping);
    advance_all(h2);
    if (!h2->count && !h2->broken && (stopping || idle > IDLE_PATIENCES * patience))
        fail(h2, NGHTTP2_NO_ERROR);
    return nghttp2_session_want_write(h2->session) ? WANT_GO_ON : WANT_NOTHING;
}
