/* Sends one request that is signed as S3 wants it: by AWS's signature, version 4, which libcurl makes. */
#ifndef CANDOR_HTTP_SIGNED_H
#define CANDOR_HTTP_SIGNED_H

#include "base/buffer.h"
#include "http/transport.h"

enum { SIGNED_TAG_MAX = 128 };

struct signed_letter {
    const char *method; /* GET, PUT or DELETE */
    const char *url;    /* its query is sorted by name, because libcurl signs it as it is */
    const char *scope;  /* "aws:amz:REGION:SERVICE" */
    const char *key;    /* "ACCESS-KEY:SECRET-KEY" */
    const char *token;  /* of a session; "" = none */
    const char *digest; /* the SHA-256 of the body, in hex */
    const void *bytes;  /* the body; NULL = none */
    size_t size;
    long stall_s;       /* after this many seconds without a byte, the request fails */
    const char *header; /* another one, such as "If-Match: TAG"; NULL = none */
    char *tag;          /* gets the answer's ETag, of at most SIGNED_TAG_MAX bytes with the zero; "" = none; NULL = not wanted */
};

/* Sends the request, and appends the answer's body to `answer`, which is limited. Returns as exchange_send does. */
int signed_send(struct transport *t, const struct signed_letter *letter, struct buffer *answer, long *status, struct error *e);

#endif
