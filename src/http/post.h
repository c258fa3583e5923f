/* Sends one request whose body is in a file or in memory. */
#ifndef CANDOR_HTTP_POST_H
#define CANDOR_HTTP_POST_H

#include "http/transport.h"

#include <stddef.h>
#include <stdint.h>

struct post_letter {
    const char *url;
    const char *token;           /* "" = none */
    const char *key;             /* Idempotency-Key, NULL = none */
    const char *header;          /* one more header, "Name: value"; NULL = none */
    const char *type, *encoding; /* Content-Type, NULL = application/octet-stream; Content-Encoding, NULL = none */
    const void *bytes;           /* the body; NULL = it is in a file */
    int fd;                      /* the file; the body begins at `offset` */
    uint64_t offset, size;
};

struct post_answer {
    long status;
    uint64_t retry_after_ns; /* 0 = the server did not name a time */
    char text[4096];         /* the beginning of the answer, zero-terminated */
    size_t size;             /* size of `text`, which may be binary */
};

/* Sends the request. Returns 0 if there is an answer, whatever its status. Otherwise returns a negative code with a message in e; then it
 * is unknown whether the server has received the request. */
int post_send(struct transport *t, const struct post_letter *post, struct post_answer *answer, struct error *e);

#endif
