/* Sends a recording: one request with a body from a file, or from memory. */
#ifndef CANDOR_HTTP_POST_H
#define CANDOR_HTTP_POST_H

#include "http/transport.h"

#include <stddef.h>
#include <stdint.h>

struct post_letter {
    const char *url;
    const char *token;           /* "" = none */
    const char *key;             /* Idempotency-Key, NULL = none */
    const char *type, *encoding; /* Content-Type, NULL = octets; Content-Encoding, NULL = none */
    const void *bytes;           /* the body; NULL: it is in a file */
    int fd;                      /* from there on */
    uint64_t offset, size;
};

struct post_answer {
    long status;
    uint64_t retry_after_ns; /* 0 = the server named none */
    char text[512];          /* the beginning of the answer, zero-terminated */
    size_t size;             /* of it: it may be binary */
};

/* 0 when there is an answer, whatever its status; else a negative code with e, and whether the server has got the request is not
 * known. */
int post_send(struct transport *t, const struct post_letter *post, struct post_answer *answer, struct error *e);

#endif
