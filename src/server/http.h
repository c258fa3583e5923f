/* What a handler sees of HTTP; what is under it (libmicrohttpd) only http.c and receive.c know. A request belongs to one thread. */
#ifndef CANDOR_SERVER_HTTP_H
#define CANDOR_SERVER_HTTP_H

#include "base/error.h"
#include "base/jsonw.h"
#include "server/context.h"

#include <microhttpd.h>

struct receive;

struct http {
    struct server *server;
    struct MHD_Connection *connection;
    const char *method, *path;
    struct receive *receive; /* of a request with a body */
    int answered;            /* what MHD said to the answer */
    uint64_t begun_ns;
};

/* A query parameter, or NULL; *len may be NULL. Values may hold any bytes. */
const char *http_parameter(const struct http *h, const char *name, size_t *len);
const char *http_header(const struct http *h, const char *name);

/* Answers. Each is given once. */
void http_error(struct http *h, unsigned status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* For errors that will be better later. */
void http_later(struct http *h, unsigned status, const char *text);
/* Takes over bytes that were malloc'ed. */
void http_bytes(struct http *h, unsigned status, const char *type, char *bytes, size_t n);
void http_constant(struct http *h, const char *type, const char *bytes, size_t n);

/* A page, with what it may do. */
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
