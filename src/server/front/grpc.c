#include "server/front/grpc.h"

#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/answers/receive.h"
#include "server/answers/routes.h"
#include "server/connect/connect.h"
#include "server/connect/wire.h"

#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MEDIA     "application/grpc"
#define ENCODINGS "identity,gzip,zstd"

/* Codes of gRPC. */
enum {
    OK = 0,
    INVALID_ARGUMENT = 3,
    DEADLINE_EXCEEDED = 4,
    PERMISSION_DENIED = 7,
    RESOURCE_EXHAUSTED = 8,
    UNIMPLEMENTED = 12,
    INTERNAL = 13,
    UNAVAILABLE = 14,
    UNAUTHENTICATED = 16,
};

/* ---- the head of a call ---- */

void grpc_init(struct grpc *g, const struct http *h)
{
    const char *type = http_header(h, "Content-Type");
    *g = (struct grpc){.on = type && !strncasecmp(type, MEDIA, strlen(MEDIA)) &&
                             (!type[strlen(MEDIA)] || strchr("+; ", type[strlen(MEDIA)]))};
}

size_t grpc_feed_prefix(struct grpc *g, const uint8_t *bytes, size_t n, bool *complete)
{
    size_t wanted = GRPC_PREFIX - g->have, used = n < wanted ? n : wanted;
    if (used)
        memcpy(g->prefix + g->have, bytes, used);
    g->have += (unsigned)used;
    *complete = g->have == GRPC_PREFIX;
    return used;
}

/* Whether the messages of the call are protocol buffers. */
static bool is_proto(const char *type)
{
    const char *rest = type + strlen(MEDIA);
    size_t n = strcspn(rest, "; ");
    return !n || (n == strlen("+proto") && !strncasecmp(rest, "+proto", n));
}

/* Reads grpc-timeout: at most eight digits and a unit. Returns false if it is not valid. */
static bool read_timeout(struct grpc *g, const struct http *h)
{
    static const char units[] = "HMSmun";
    static const uint64_t ns[] = {3600 * NS_PER_S, 60 * NS_PER_S, NS_PER_S, NS_PER_MS, NS_PER_US, 1};
    const char *text = http_header(h, "grpc-timeout");
    if (!text)
        return true;
    uint64_t n = 0;
    size_t digits = strspn(text, "0123456789");
    const char *unit = text[digits] ? strchr(units, text[digits]) : NULL;
    if (!digits || digits > 8 || !unit || text[digits + 1])
        return false;
    for (size_t i = 0; i < digits; i++)
        n = 10 * n + (uint64_t)(text[i] - '0');
    uint64_t longest = (UINT64_MAX - h->begun_ns) / ns[unit - units]; /* centuries: as good as never */
    g->until_ns = n <= longest ? h->begun_ns + n * ns[unit - units] : 0;
    return true;
}

static bool is_known_encoding(const char *name)
{
    return !strcmp(name, "identity") || !strcmp(name, "gzip") || !strcmp(name, "zstd");
}

/* Checks the headers. Returns 0, or -1 after an error. */
static int check_head(struct grpc *g, struct http *h)
{
    const char *encoding = http_header(h, "grpc-encoding");
    http_add_text(h, "grpc-accept-encoding", ENCODINGS);
    if (strcmp(h->method, "POST") != 0)
        http_error(h, HTTP_METHOD_NOT_ALLOWED, "a gRPC call must be a POST");
    else if (!is_proto(http_header(h, "Content-Type")))
        http_error(h, HTTP_UNSUPPORTED_MEDIA_TYPE, "Content-Type must be " MEDIA " or " MEDIA "+proto");
    else if (!connect_is(h->path) && receive_kind(h->path) != RECEIVE_MESSAGE)
        http_error(h, HTTP_NOT_IMPLEMENTED, "there is no call %.100s; docs/formats/server-api.md lists all calls", h->path);
    else if (encoding && !is_known_encoding(encoding))
        http_error(h, HTTP_NOT_IMPLEMENTED, "grpc-encoding: '%.40s' is none of " ENCODINGS, encoding);
    else if (!read_timeout(g, h))
        http_error(h, HTTP_BAD_REQUEST, "grpc-timeout: '%.40s' is not a number of at most eight digits and one of H M S m u n",
                   http_header(h, "grpc-timeout"));
    return h->answered ? -1 : 0;
}

/* Checks the five bytes before the message. Returns 0, or -1 after an error. */
static int check_prefix(struct grpc *g, struct http *h)
{
    const char *encoding = http_header(h, "grpc-encoding");
    bool packed = g->prefix[0];
    if (g->have < GRPC_PREFIX)
        http_error(h, HTTP_BAD_REQUEST, "the call has no message, or ends before the first five bytes of it");
    else if (g->prefix[0] > 1)
        http_error(h, HTTP_BAD_REQUEST, "the message begins with %u; 0 means that it is not packed, 1 that it is", g->prefix[0]);
    else if (packed && (!encoding || !strcmp(encoding, "identity")))
        http_error(h, HTTP_BAD_REQUEST, "the message is packed, and grpc-encoding does not say how");
    if (h->answered)
        return -1;
    g->left = (uint64_t)g->prefix[1] << 24 | (uint64_t)g->prefix[2] << 16 | (uint64_t)g->prefix[3] << 8 | g->prefix[4];
    h->head.packed = packed;
    h->head.length = g->left;
    return 0;
}

int grpc_begin(struct grpc *g, struct http *h)
{
    if (check_head(g, h) || check_prefix(g, h))
        return -1;
    for (uint32_t i = 0; i < h->head.header_count; i++)
        if (!strcasecmp(h->head.headers[i].name, "Content-Type")) {
            h->head.headers[i].value = "application/proto";
            h->head.headers[i].value_len = strlen("application/proto");
        }
    return 0;
}

/* ---- the message ---- */

void grpc_body(struct grpc *g, struct http *h, const char *bytes, size_t n)
{
    if (n > g->left) {
        http_error(h, HTTP_BAD_REQUEST, "more than one message, or more bytes than the length of the message says");
        return;
    }
    g->left -= n;
    routes_body(h, bytes, n);
}

int grpc_end(struct grpc *g, struct http *h)
{
    if (!h->answered && g->left)
        http_error(h, HTTP_BAD_REQUEST, "the message is cut off: %llu of its bytes are missing", (unsigned long long)g->left);
    return h->answered ? -1 : 0;
}

bool grpc_is_over(const struct grpc *g)
{
    return g->until_ns && clock_monotonic_ns() > g->until_ns;
}

/* ---- the answer ---- */

/* Returns the code that fits a status of HTTP, in the meaning that it has on this server. */
static unsigned code_of(unsigned status)
{
    switch (status) {
    case HTTP_OK:
        return OK;
    case HTTP_BAD_REQUEST:
        return INVALID_ARGUMENT;
    case HTTP_UNAUTHORIZED:
        return UNAUTHENTICATED;
    case HTTP_FORBIDDEN:
        return PERMISSION_DENIED;
    case HTTP_NOT_FOUND:
    case HTTP_METHOD_NOT_ALLOWED:
    case HTTP_UNSUPPORTED_MEDIA_TYPE:
    case HTTP_NOT_IMPLEMENTED:
        return UNIMPLEMENTED;
    case HTTP_CONTENT_TOO_LARGE:
    case HTTP_HEADERS_TOO_LARGE:
    case HTTP_TOO_MANY_REQUESTS:
        return RESOURCE_EXHAUSTED;
    case HTTP_REQUEST_TIMEOUT:
    case HTTP_SERVICE_UNAVAILABLE:
        return UNAVAILABLE;
    case HTTP_GATEWAY_TIMEOUT:
        return DEADLINE_EXCEEDED;
    default:
        return INTERNAL;
    }
}

/* Encodes a message for a header: visible ASCII stays, and everything else becomes %XX. */
static void encode_text(char *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c > '~' || c == '%')
            out += snprintf(out, 4, "%%%02X", c);
        else
            *out++ = (char)c;
    }
    *out = 0;
}

/* Writes a google.rpc.Status with a RetryInfo, in base64. OTLP's clients try again after RESOURCE_EXHAUSTED only if they get one. */
static void write_details(const struct http *h, struct grpc_answer *a)
{
    char *bytes = NULL;
    size_t n = 0;
    struct wire w;
    gnutls_datum_t packed = {0};
    FILE *out = open_memstream(&bytes, &n);
    if (!out)
        return;
    wire_init(&w, false, out);
    wire_int(&w, 1, "code", a->code);
    wire_text(&w, 2, "message", h->problem);
    wire_message(&w, 3, "details");
    wire_text(&w, 1, "@type", "type.googleapis.com/google.rpc.RetryInfo");
    wire_message(&w, 2, "value");
    wire_message(&w, 1, "retryDelay");
    wire_int(&w, 1, "seconds", h->retry_s ? h->retry_s : HTTP_LATER_S);
    wire_message_end(&w, 1);
    wire_message_end(&w, 2);
    wire_message_end(&w, 3);
    bool failed = wire_end(&w, out);
    failed = fclose(out) || failed;
    const gnutls_datum_t status = {(unsigned char *)bytes, (unsigned)n};
    if (!failed && !gnutls_base64_encode2(&status, &packed) && packed.size < sizeof a->details)
        memcpy(a->details, packed.data, packed.size);
    gnutls_free(packed.data);
    free(bytes);
}

void grpc_answer(const struct grpc *g, const struct http *h, struct grpc_answer *a)
{
    uint64_t n = h->content.n;
    *a = (struct grpc_answer){.prefix = {0, (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n}};
    a->code = h->rpc ? h->rpc : code_of(h->status);
    if (a->code == OK && n > UINT32_MAX) {
        a->code = RESOURCE_EXHAUSTED;
        encode_text(a->text, "the answer is too long for one message");
    }
    if (a->code == OK || *a->text)
        return;
    if (grpc_is_over(g))
        a->code = DEADLINE_EXCEEDED;
    encode_text(a->text, *h->problem ? h->problem : http_reason(h->status));
    if (h->status == HTTP_TOO_MANY_REQUESTS || h->status == HTTP_SERVICE_UNAVAILABLE)
        write_details(h, a);
}
