/* The view of HTTP that handlers have; only http.c and receive.c know the library under it (libmicrohttpd). A request belongs
 * to one thread. */
#ifndef CANDOR_SERVER_REQUEST_HTTP_H
#define CANDOR_SERVER_REQUEST_HTTP_H

#include "base/error.h"
#include "base/text/jsonw.h"
#include "server/request/context.h"

#include <microhttpd.h>

struct receive;

enum { HTTP_EXTRA_MAX = 5, HTTP_EXTRA_BYTES = 512 };

struct http {
    struct server *server;
    struct MHD_Connection *connection;
    const char *method, *path;
    struct receive *receive; /* of a request with a body */
    int answered;            /* what MHD said to the answer; MHD_YES while it waits for the body's end */
    uint64_t begun_ns;
    uint64_t came;    /* bytes of the body */
    bool body_coming; /* an answer waits for its end */
    bool closing;     /* the connection ends with the answer */
    struct MHD_Response *waiting;
    unsigned waiting_status;
    struct {
        const char *name;
        char value[HTTP_EXTRA_BYTES];
    } extra[HTTP_EXTRA_MAX]; /* headers of the answer to come */
    unsigned extra_count;
};

/* A query parameter, or NULL; *len may be NULL. Values may hold any bytes. */
const char *http_parameter(const struct http *h, const char *name, size_t *len);
const char *http_header(const struct http *h, const char *name);

/* If a connection is closed before the body was read, it is reset, and its client may never see the reason: from http_begin on an
 * answer waits for the end of the body, unless the client waits for the answer before it sends (Expect), or would send for long. */
void http_begin(struct http *h);
/* Some of the body has come: is it worth going on? */
bool http_is_slow(const struct http *h);
bool http_is_endless(const struct http *h);
/* All of it has: gives the answer that waits, if one does. */
void http_body_end(struct http *h);
/* The answer to come is given at once, and the connection ends with it: where the body ends is not known. */
void http_close(struct http *h);
/* When the request is over, however it ended. */
void http_free(struct http *h);

/* A header of the answer to come; name is kept as it is. At most HTTP_EXTRA_MAX. */
void http_add_number(struct http *h, const char *name, uint64_t value);
void http_add_text(struct http *h, const char *name, const char *value); /* of visible ASCII */

/* Answers. Each is given once. */
void http_error(struct http *h, unsigned status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* For errors that will be better later. */
void http_later(struct http *h, unsigned status, const char *text);
/* Takes over bytes that were malloc'ed. */
void http_bytes(struct http *h, unsigned status, const char *type, char *bytes, size_t n);
void http_constant(struct http *h, const char *type, const char *bytes, size_t n);

/* A page, with its permissions. */
void http_page(struct http *h, const char *policy, char *bytes, size_t n, bool constant);

/* An answer that is written: FILE and JSON writer into memory. */
struct http_writer {
    FILE *out;
    char *bytes;
    size_t size;
    struct jsonw json;
};
int http_write_begin(struct http *h, struct http_writer *w); /* 0, or -ENOMEM after it has answered */
void http_write_end(struct http *h, struct http_writer *w, unsigned status, const char *type);

#endif
