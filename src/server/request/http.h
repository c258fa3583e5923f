/* The handlers' view of HTTP: the head of a request, and the answer to it. A handler puts the answer here, and the connection
 * (src/server/front/) sends it. A request belongs to one thread at a time. */
#ifndef CANDOR_SERVER_REQUEST_HTTP_H
#define CANDOR_SERVER_REQUEST_HTTP_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/text/jsonw.h"
#include "server/request/context.h"
#include "server/request/head.h"

struct receive;

enum {
    HTTP_EXTRA_MAX = 6,
    HTTP_EXTRA_BYTES = 512,
    HTTP_LATER_S = 10, /* after this many seconds a client tries again, unless the answer has a better number */
};

#define HTTP_STATUSES(X)                                                                                                                   \
    X(ACCEPTED, 202, "Accepted")                                                                                                           \
    X(OK, 200, "OK")                                                                                                                       \
    X(BAD_REQUEST, 400, "Bad Request")                                                                                                     \
    X(UNAUTHORIZED, 401, "Unauthorized")                                                                                                   \
    X(FORBIDDEN, 403, "Forbidden")                                                                                                         \
    X(NOT_FOUND, 404, "Not Found")                                                                                                         \
    X(METHOD_NOT_ALLOWED, 405, "Method Not Allowed")                                                                                       \
    X(REQUEST_TIMEOUT, 408, "Request Timeout")                                                                                             \
    X(CONFLICT, 409, "Conflict")                                                                                                           \
    X(PRECONDITION_FAILED, 412, "Precondition Failed")                                                                                     \
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

/* The bytes that are sent after the head of an answer. */
struct http_content {
    const char *bytes;
    size_t n;
    void (*release)(void *context); /* called when the bytes were sent, or will never be sent; NULL = nothing to do */
    void *context;
};

struct http {
    struct server *server;
    struct head head;
    const char *method, *path; /* those of `head` */
    bool takes_body;           /* set by routes_begin: the handler waits for the body */
    struct receive *receive;   /* the state of a recording that is being received */
    struct buffer message;     /* for a call: the received bytes of its message */
    uint64_t viewed_bytes;     /* of the message, which count for all that is sent to be looked at (answers/viewed.h) */
    struct token token;        /* the permissions of the client; zeros = none, until the routes have looked for its token */
    const char *address;       /* of the client */
    uint32_t retry_s;          /* after this many seconds the client may try again; 0 = the answer does not say */
    const char *certificate;   /* name in the client's certificate; NULL = none */
    uint64_t begun_ns;
    uint64_t queued_ns;            /* how long the request waited for a worker */
    bool (*is_gone)(void *client); /* whether the client has closed the connection; see http_is_gone */
    void *client;
    uint64_t looked_ns; /* when is_gone was called last */
    bool gone;
    bool slow;     /* the client was too slow; therefore the request is abandoned */
    bool closing;  /* the connection is closed after the answer */
    bool answered; /* the answer begins with this member */
    unsigned status;
    unsigned rpc;      /* gRPC's code for the error in the answer; 0 = the one that fits the status */
    char problem[200]; /* the error in the answer, for the log; "" = none */
    const char *type;
    struct http_content content;
    struct {
        const char *name;
        char value[HTTP_EXTRA_BYTES];
    } extra[HTTP_EXTRA_MAX]; /* additional headers */
    unsigned extra_count;
};

/* Returns a query parameter, or NULL. len may be NULL. Values may contain any bytes. */
const char *http_parameter(const struct http *h, const char *name, size_t *len);
const char *http_header(const struct http *h, const char *name);

/* Whether the client of this struct http has closed the connection. Functions that take long call it. It is cheap, because it checks only
 * at intervals. It does not check at the beginning, because a client that only stopped sending may still wait for a quick answer. */
bool http_is_gone(void *http);

/* Returns the largest number of bytes of a body that are read, for any request. */
uint64_t http_body_most(const struct server *s);
/* Frees the request. Call it when the request is over, however it ended. */
void http_free(struct http *h);

/* These functions add a header to the answer, at most HTTP_EXTRA_MAX. They keep the pointer `name`. */
void http_add_number(struct http *h, const char *name, uint64_t value);
void http_add_text(struct http *h, const char *name, const char *value);

/* The following functions answer. Call one of them once. */
void http_error(struct http *h, unsigned status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Notes the error that is being answered. It is for answers with errors in their own format; the two functions beside this one call it. */
void http_note_problem(struct http *h, const char *text);
/* Answers with an error that may disappear later. */
void http_later(struct http *h, unsigned status, const char *text);
/* Adds the header that says after how many seconds to try again. */
void http_add_retry(struct http *h, uint32_t seconds);
/* Answers with bytes from malloc, which it frees later. */
void http_bytes(struct http *h, unsigned status, const char *type, char *bytes, size_t n);
void http_constant(struct http *h, const char *type, const char *bytes, size_t n);
void http_content(struct http *h, unsigned status, const char *type, struct http_content content);

/* Answers with a page. policy: its Content-Security-Policy. */
void http_page(struct http *h, const char *policy, struct http_content content);

/* Returns the words for a status. */
const char *http_reason(unsigned status);

/* Writes an answer into memory, as a FILE and as a JSON writer, up to --max-answer bytes. Further bytes are dropped, and `full` is set. A
 * function that writes much checks `full`, and stops. */
struct http_writer {
    FILE *out;
    char *bytes;
    size_t size, cap;
    uint64_t most;
    bool full;
    bool failed; /* there was no memory */
    struct jsonw json;
};
int http_write_begin(struct http *h, struct http_writer *w); /* returns 0, or -ENOMEM if it has already answered with an error */
/* Answers with the bytes that were written, or with an error if they are too many. */
void http_write_end(struct http *h, struct http_writer *w, unsigned status, const char *type);
/* Ends the writer without an answer. Call it if another answer is given. */
void http_write_abandon(struct http_writer *w);
/* Writes one line of text that says that the answer is full. Returns out. */
char *http_full_text(const struct http_writer *w, char *out, size_t size);

#endif
