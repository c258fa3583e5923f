/* libFuzzer target: a call of gRPC. A handler gets exactly the message of the body, whether the body comes whole or byte by byte, or there
 * is an error. An answer adds only headers. The first byte chooses the headers, and the rest is the body. The functions that grpc.c calls
 * are here. */
#include "server/answers/receive.h"
#include "server/answers/routes.h"
#include "server/connect/connect.h"
#include "server/front/grpc.h"

#include <gnutls/gnutls.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* ---- what grpc.c calls ---- */

static struct buffer *taken; /* what the handler got */

void routes_body(struct http *h, const char *bytes, size_t n)
{
    check(!h->answered);
    buffer_put(taken, bytes, n);
}

bool connect_is(const char *path)
{
    return !strncmp(path, "/call", 5);
}

enum receive_kind receive_kind(const char *path)
{
    return strcmp(path, "/message") ? RECEIVE_NOTHING : RECEIVE_MESSAGE;
}

const char *http_header(const struct http *h, const char *name)
{
    for (uint32_t i = 0; i < h->head.header_count; i++)
        if (!strcasecmp(h->head.headers[i].name, name))
            return h->head.headers[i].value;
    return NULL;
}

void http_add_text(struct http *h, const char *name, const char *value)
{
    check(!h->answered && *name && *value);
}

void http_error(struct http *h, unsigned status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(h->problem, sizeof h->problem, format, args);
    va_end(args);
    check(!h->answered);
    h->answered = true;
    h->status = status;
}

const char *http_reason(unsigned status)
{
    return status ? "reason" : "";
}

/* ---- a call ---- */

struct call {
    struct http http;
    struct head_field fields[4];
    struct buffer taken;
    char timeout[16];
};

/* Fills in the headers by the bits of `choice`. */
static void make(struct call *c, unsigned choice)
{
    static const char *const types[] = {"application/grpc", "application/grpc+proto", "application/grpc; a=b", "application/grpc+json"};
    static const char *const encodings[] = {"identity", "gzip", "zstd", "br"};
    *c = (struct call){.http = {.method = "POST", .path = choice & 64 ? "/call" : "/message"}};
    snprintf(c->timeout, sizeof c->timeout, "%u%c", choice * 1000, "HMSmunx1"[choice & 7]);
    c->fields[0] = (struct head_field){"Content-Type", types[choice & 3], 0};
    c->fields[1] = (struct head_field){"grpc-encoding", encodings[choice >> 2 & 3], 0};
    c->fields[2] = (struct head_field){"grpc-timeout", c->timeout, 0};
    c->http.head.headers = c->fields;
    c->http.head.header_count = choice & 16 ? 1 : choice & 32 ? 2 : 3;
    buffer_init(&c->taken, 1 << 20);
}

/* Receives a body in pieces, as a stream does. */
static void receive(struct call *c, const uint8_t *bytes, size_t size, size_t piece)
{
    struct grpc g;
    bool complete = false;
    size_t at = 0;
    taken = &c->taken;
    grpc_init(&g, &c->http);
    check(g.on);
    while (at < size && !complete)
        at += grpc_feed_prefix(&g, bytes + at, size - at < piece ? size - at : piece, &complete);
    check(at == (size < GRPC_PREFIX ? size : GRPC_PREFIX));
    if (grpc_begin(&g, &c->http)) {
        check(c->http.answered);
        return;
    }
    check(!strcmp(http_header(&c->http, "Content-Type"), "application/proto"));
    for (; at < size && !c->http.answered; at += piece)
        grpc_body(&g, &c->http, (const char *)bytes + at, size - at < piece ? size - at : piece);
    check(!grpc_end(&g, &c->http) == !c->http.answered);
}

/* Whether a value may be that of a header. */
static bool is_visible(const char *text)
{
    while (*text >= ' ' && *text <= '~')
        text++;
    return !*text;
}

/* Whether the details end with the seconds of a RetryInfo. */
static bool says_when(const char *details, uint8_t seconds)
{
    gnutls_datum_t bytes = {0}, text = {(unsigned char *)details, (unsigned)strlen(details)};
    check(!gnutls_base64_decode2(&text, &bytes) && bytes.size > 2);
    bool says = bytes.data[bytes.size - 2] == 8 && bytes.data[bytes.size - 1] == seconds;
    gnutls_free(bytes.data);
    return says;
}

static void answer(struct call *c, const uint8_t *bytes, size_t size)
{
    static const unsigned statuses[] = {200, 400, 401, 403, 404, 413, 429, 500, 503, 504};
    struct grpc g = {.on = true, .until_ns = size & 1};
    struct grpc_answer a;
    size_t n = size < sizeof c->http.problem - 1 ? size : sizeof c->http.problem - 1;
    c->http.status = statuses[size % 10];
    c->http.rpc = 0;
    c->http.retry_s = size & 2 ? 7 : 0;
    c->http.content = (struct http_content){.bytes = (const char *)bytes, .n = size};
    memcpy(c->http.problem, bytes, n);
    c->http.problem[n] = 0;
    grpc_answer(&g, &c->http, &a);
    check(a.code <= 16 && (a.code == 0) == (c->http.status == 200) && !*a.text == !a.code);
    check(is_visible(a.text) && is_visible(a.details) && a.prefix[0] == 0 && a.prefix[4] == (size & 255));
    check(!*a.details == (c->http.status != 429 && c->http.status != 503));
    check(!*a.details || says_when(a.details, size & 2 ? 7 : HTTP_LATER_S));
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    struct call whole, single;
    if (!size)
        return 0;
    const uint8_t *body = input + 1;
    make(&whole, *input);
    make(&single, *input);
    receive(&whole, body, size - 1, size);
    receive(&single, body, size - 1, 1);
    check(whole.http.answered == single.http.answered);
    if (!whole.http.answered) {
        check(whole.taken.len == size - 1 - GRPC_PREFIX && single.taken.len == whole.taken.len);
        check(whole.http.head.length == whole.taken.len);
        check(!whole.taken.len || (!memcmp(whole.taken.data, body + GRPC_PREFIX, whole.taken.len) &&
                                   !memcmp(whole.taken.data, single.taken.data, whole.taken.len)));
    }
    answer(&whole, body, size - 1);
    buffer_deinit(&whole.taken);
    buffer_deinit(&single.taken);
    return 0;
}
