/* Fetches an answer as a whole into memory.
 *
 *   fetch_get -> status, body, fetch_header -> fetch_deinit */
#ifndef CANDOR_HTTP_FETCH_H
#define CANDOR_HTTP_FETCH_H

#include "base/buffer.h"
#include "http/transport.h"

struct fetch_answer {
    long status;
    struct buffer body;
    struct buffer headers; /* lines "Name: value", each ended by a line feed */
};

#define FETCH_MAX ((size_t)1 << 31)

/* Fetches the answer. token: "" = none. Returns 0 if there is an answer, whatever its status. Otherwise returns a negative code with a
 * message in e: -EFBIG if the answer has more than FETCH_MAX bytes, -ENOMEM, -ECONNREFUSED if there is no server, -EACCES if its
 * certificate is not trusted, or -EIO. Call fetch_deinit in each case. */
int fetch_get(struct transport *t, const char *url, const char *token, struct fetch_answer *answer, struct error *e);
/* Returns the value of a header, or NULL if there is none, or if it does not fit. */
const char *fetch_header(const struct fetch_answer *answer, const char *name, char *out, size_t size);
void fetch_deinit(struct fetch_answer *answer);

#endif
