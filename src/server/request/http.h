/* The view of HTTP that handlers have: the head of a request, and the answer to it, which they leave here for the connection
 * (src/server/front/) to send. A request belongs to one thread at a time. */
#ifndef CANDOR_SERVER_REQUEST_HTTP_H
#define CANDOR_SERVER_REQUEST_HTTP_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/text/jsonw.h"
#include "server/request/context.h"
#include "server/request/head.h"

struct receive;

enum { HTTP_EXTRA_MAX = 6, HTTP_EXTRA_BYTES = 512 };

#define HTTP_STATUSES(X)                                                                                                                   \
    X(OK, 200, "OK")                                                                                                                       \
    X(BAD_REQUEST, 400, "Bad Request")                                                                                                     \
    X(UNAUTHORIZED, 401, "Unauthorized")                                                                                                   \
    X(FORBIDDEN, 403, "Forbidden")                                                                                                         \
    X(NOT_FOUND, 404, "Not Found")                                                                                                         \
    X(METHOD_NOT_ALLOWED, 405, "Method Not Allowed")                                                                                       \
    X(REQUEST_TIMEOUT, 408, "Request Timeout")                                                                                             \
    X(CONTENT_TOO_LARGE, 413, "Content Too Large")                                                                                         \
    X(UNSUPPORTED_MEDIA_TYPE, 415, "Unsupported Media Type")                                                                               \
    X(TOO_MANY_REQUESTS, 429, "Too Many Requests")                                                                                         \
    X(HEADERS_TOO_LARGE, 431, "Request Header Fields Too Large")                                                                           \
    X(INTERNAL_SERVER_ERROR, 500, "Internal Server Error")                                                                                 \
    X(NOT_IMPLEMENTED, 501, "Not Implemented")                                                                                             \
    X(SERVICE_UNAVAILABLE, 503, "Service Unavailable")                                                                                     \
    X(GATEWAY_TIMEOUT, 504, "Gateway Timeout")                                                                                             \
    X(VERSION_NOT_SUPPORTED, 505, "HTTP Version Not Supported")

enum http_status {
#define HTTP_ENUM(name, number, reason) HTTP_##name = number,
    HTTP_STATUSES(HTTP_ENUM)
#undef HTTP_ENUM
};

/* What is sent after the head of an answer. */
struct http_content {
    const char *bytes;
    size_t n;
    void (*release)(void *context); /* when it was sent, or never will be; NULL = nothing to do */
    void *context;
};

struct http {
    struct server *server;
    struct head head;
    const char *method, *path; /* of head */
    bool takes_body;           /* set by routes_begin: it wants the body */
    struct receive *receive;   /* of a recording */
    struct buffer message;     /* of a call: what has come of it */
    uint64_t begun_ns;
    bool (*is_gone)(void *client); /* whether the client has closed the connection; see http_is_gone */
    void *client;
    uint64_t looked_ns; /* when that was asked last */
    bool gone;
    bool slow;     /* its client was: that is why it is given up */
    bool closing;  /* the connection ends with the answer */
    bool answered; /* from here on: the answer */
    unsigned status;
    const char *type;
    struct http_content content;
    struct {
        const char *name;
        char value[HTTP_EXTRA_BYTES];
    } extra[HTTP_EXTRA_MAX]; /* more headers */
    unsigned extra_count;
};

/* A query parameter, or NULL; *len may be NULL. Values may hold any bytes. */
const char *http_parameter(const struct http *h, const char *name, size_t *len);
const char *http_header(const struct http *h, const char *name);

/* For work that takes long: whether the client of this struct http has closed the connection. It is cheap, because it checks only
 * from time to time. It does not check at the beginning, because a client that only stopped sending may still wait for a quick
 * answer. */
bool http_is_gone(void *http);

/* The largest number of bytes of a body that are read, whatever the request. */
uint64_t http_body_most(const struct server *s);
/* When the request is over, however it ended. */
void http_free(struct http *h);

/* A header of the answer to come; name is kept as it is. At most HTTP_EXTRA_MAX. */
void http_add_number(struct http *h, const char *name, uint64_t value);
void http_add_text(struct http *h, const char *name, const char *value);

/* Answers. Each is given once. */
void http_error(struct http *h, unsigned status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* For errors that will be better later. */
void http_later(struct http *h, unsigned status, const char *text);
/* Takes over bytes that were malloc'ed. */
void http_bytes(struct http *h, unsigned status, const char *type, char *bytes, size_t n);
void http_constant(struct http *h, const char *type, const char *bytes, size_t n);
void http_content(struct http *h, unsigned status, const char *type, struct http_content content);

/* A page, with its permissions. */
void http_page(struct http *h, const char *policy, struct http_content content);

/* The words of a status. */
const char *http_reason(unsigned status);

/* An answer that is written: FILE and JSON writer into memory, up to --max-answer bytes. What is written beyond that is dropped, and `full`
 * is set: who writes much looks at it, and stops. */
struct http_writer {
    FILE *out;
    char *bytes;
    size_t size, cap;
    uint64_t most;
    bool full;
    bool failed; /* there is no memory */
    struct jsonw json;
};
int http_write_begin(struct http *h, struct http_writer *w); /* 0, or -ENOMEM after it has answered */
/* Answers: with what was written, or with an error if that is too much. */
void http_write_end(struct http *h, struct http_writer *w, unsigned status, const char *type);
/* Call it instead, if another answer is given. */
void http_write_abandon(struct http_writer *w);
/* One line for an answer that is full. Returns out. */
char *http_full_text(const struct http_writer *w, char *out, size_t size);

#endif
