/* Sends one request whose whole answer is needed, for services that are asked in their own language. */
#ifndef CANDOR_HTTP_EXCHANGE_H
#define CANDOR_HTTP_EXCHANGE_H

#include "base/buffer.h"
#include "http/transport.h"

struct exchange_letter {
    const char *url;
    const char *const *headers; /* "Name: value", up to a NULL */
    const void *bytes;          /* the body of the POST */
    size_t size;
    long stall_s; /* after this many seconds without a byte, the request fails */
};

/* Sends the request, and appends the answer's body to `answer`, which is limited. Returns 0 if there is an answer, whatever its status.
 * Otherwise returns a negative code with a message in e, -EFBIG if the answer is larger than the limit; then it is unknown whether the
 * server has received the request. */
int exchange_send(struct transport *t, const struct exchange_letter *letter, struct buffer *answer, long *status, struct error *e);

#endif
