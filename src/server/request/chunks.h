/* Decodes a body in chunks (RFC 9112, 7.1) in place, piece by piece and strictly. Extensions and trailers are read and dropped; together
 * they are bounded.
 *
 *     5;extension CRLF  hello CRLF  0 CRLF  trailers CRLF  CRLF */
#ifndef CANDOR_SERVER_REQUEST_CHUNKS_H
#define CANDOR_SERVER_REQUEST_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

enum chunks_state {
    CHUNKS_SIZE, /* first: a body begins with a size */
    CHUNKS_EXTENSION,
    CHUNKS_SIZE_END,
    CHUNKS_DATA,
    CHUNKS_DATA_CR,
    CHUNKS_DATA_LF,
    CHUNKS_LINE, /* a trailer begins, or the end */
    CHUNKS_TRAILER,
    CHUNKS_TRAILER_LF,
    CHUNKS_LAST_LF,
    CHUNKS_DONE,
};

struct chunks { /* all zero at first */
    enum chunks_state state;
    unsigned digits;
    uint64_t left;  /* of the chunk; its size while that is read */
    uint64_t extra; /* bytes of extensions and trailers so far */
    const char *problem;
};

/* Decodes the first n bytes: content is moved to their front, *content is its length, *used how many bytes it came from. Stops behind the
 * body's end. 1 = the body is complete, 0 = more must come, -EINVAL with c->problem. */
int chunks_decode(struct chunks *c, char *bytes, size_t n, size_t *used, size_t *content);

#endif
