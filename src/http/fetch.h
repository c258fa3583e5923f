/* Fetches a whole answer into memory.
 *
 *   fetch_get -> status, body, fetch_header -> fetch_deinit */
#ifndef CANDOR_HTTP_FETCH_H
#define CANDOR_HTTP_FETCH_H

#include "base/buffer.h"
#include "http/transport.h"

struct fetch_answer {
    long status;
    struct buffer body;
    struct buffer headers; /* "Name: value" lines, each ended by a line feed */
};

#define FETCH_MAX ((size_t)1 << 31)

/* token: "" = none. 0 when there is an answer, whatever its status; else a negative code with e: -EFBIG when it has more than FETCH_MAX
 * bytes; -ENOMEM; -ECONNREFUSED, nobody is there; -EACCES, its certificate is not to be trusted; -EIO. To be deinitialized either way. */
int fetch_get(struct transport *t, const char *url, const char *token, struct fetch_answer *answer, struct error *e);
/* The value of a header, or NULL when there is none or it does not fit. */
const char *fetch_header(const struct fetch_answer *answer, const char *name, char *out, size_t size);
void fetch_deinit(struct fetch_answer *answer);

#endif
