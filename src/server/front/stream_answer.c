/* The answer of a stream: its headers, the frames of its content, and for a call of gRPC the trailers. A file of its own, because it
 * deals with nghttp2's structs, and with nothing of a stream's life. */
#include "server/front/stream.h"

#include "base/text/units.h"

#include <stdio.h>
#include <string.h>

enum { FIELDS_MAX = 16, TEXT_BYTES = 32 };

struct fields { /* headers of one frame; the texts must exist until nghttp2 has copied them */
    nghttp2_nv list[FIELDS_MAX];
    size_t count;
    char status[TEXT_BYTES], length[TEXT_BYTES], date[REQUEST_DATE_BYTES];
};

static void add(struct fields *f, const char *name, const char *value)
{
    if (f->count < FIELDS_MAX)
        f->list[f->count++] =
            (nghttp2_nv){.name = (uint8_t *)name, .value = (uint8_t *)value, .namelen = strlen(name), .valuelen = strlen(value)};
}

static void add_status(struct fields *f, unsigned status, const char *type)
{
    snprintf(f->status, sizeof f->status, "%u", status);
    add(f, ":status", f->status);
    add(f, "date", request_date(f->date));
    add(f, "content-type", type);
}

/* The names become lower case when nghttp2 copies them. */
static void add_extra(struct fields *f, const struct http *h)
{
    for (unsigned i = 0; i < h->extra_count; i++)
        add(f, h->extra[i].name, h->extra[i].value);
}

static void add_grpc_status(struct fields *f, const struct grpc_answer *a)
{
    snprintf(f->length, sizeof f->length, "%u", a->code);
    add(f, "grpc-status", f->length);
    if (*a->text)
        add(f, "grpc-message", a->text);
    if (*a->details)
        add(f, "grpc-status-details-bin", a->details);
}

/* ---- the content ---- */

/* Copies bytes that begin at s->offset: first the prefix, with gRPC, then the content. */
static size_t copy(struct stream *s, uint8_t *out, size_t room)
{
    const struct http_content *content = &s->request->http.content;
    size_t prefix = s->request->grpc.on ? GRPC_PREFIX : 0, n = 0;
    if (s->offset < prefix) {
        n = prefix - (size_t)s->offset < room ? prefix - (size_t)s->offset : room;
        memcpy(out, s->grpc.prefix + s->offset, n);
        s->offset += n;
    }
    size_t at = (size_t)s->offset - prefix, left = s->offset < prefix ? 0 : content->n - at, more = left < room - n ? left : room - n;
    if (more)
        memcpy(out + n, content->bytes + at, more);
    s->offset += more;
    return n + more;
}

static int put_trailers(struct stream *s, nghttp2_session *session)
{
    struct fields f = {.count = 0};
    add_grpc_status(&f, &s->grpc);
    return nghttp2_submit_trailer(session, s->id, f.list, f.count);
}

static ssize_t read_content(nghttp2_session *session, int32_t id, uint8_t *out, size_t room, uint32_t *flags, nghttp2_data_source *source,
                            void *context)
{
    struct stream *s = source->ptr;
    size_t n = copy(s, out, room), all = s->request->http.content.n + (s->request->grpc.on ? GRPC_PREFIX : 0);
    if (s->offset < all)
        return (ssize_t)n;
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (!s->request->grpc.on)
        return (ssize_t)n;
    *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    return put_trailers(s, session) ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE : (ssize_t)n;
}

/* ---- the answer ---- */

static int answer_call(struct stream *s, nghttp2_session *session)
{
    struct fields f = {.count = 0};
    const struct http *h = &s->request->http;
    const nghttp2_data_provider content = {.source = {.ptr = s}, .read_callback = read_content};
    grpc_answer(&s->request->grpc, h, &s->grpc);
    add_status(&f, HTTP_OK, "application/grpc");
    add_extra(&f, h);
    if (s->grpc.code)
        add_grpc_status(&f, &s->grpc);
    return nghttp2_submit_response(session, s->id, f.list, f.count, s->grpc.code ? NULL : &content);
}

static int answer_request(struct stream *s, nghttp2_session *session)
{
    struct fields f = {.count = 0};
    const struct http *h = &s->request->http;
    const nghttp2_data_provider content = {.source = {.ptr = s}, .read_callback = read_content};
    bool empty = !h->content.n || !strcmp(h->method, "HEAD");
    add_status(&f, h->status, h->type);
    snprintf(f.length, sizeof f.length, "%zu", h->content.n);
    add(&f, "content-length", f.length);
#define FIELD(name, value) add(&f, name, value);
    REQUEST_HEADERS(FIELD)
#undef FIELD
    add_extra(&f, h);
    return nghttp2_submit_response(session, s->id, f.list, f.count, empty ? NULL : &content);
}

int stream_answer(struct stream *s, nghttp2_session *session)
{
    s->answering = true;
    s->since_ns = s->progress_ns = clock_monotonic_ns();
    return s->request->grpc.on ? answer_call(s, session) : answer_request(s, session);
}

int stream_continue(struct stream *s, nghttp2_session *session)
{
    const nghttp2_nv status = {.name = (uint8_t *)":status", .value = (uint8_t *)"100", .namelen = 7, .valuelen = 3};
    return nghttp2_submit_headers(session, NGHTTP2_FLAG_NONE, s->id, NULL, &status, 1, NULL);
}
