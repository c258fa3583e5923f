/* Decodes a body in chunks (RFC 9112, 7.1) in place, piece by piece and strictly. Extensions and trailers are read and dropped. There is a
 * limit for their total size.
 *
 *     5;extension CRLF  hello CRLF  0 CRLF  trailers CRLF  CRLF */
#ifndef CANDOR_SERVER_REQUEST_CHUNKS_H
#define CANDOR_SERVER_REQUEST_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

enum chunks_state {
    CHUNKS_SIZE, /* a body begins with a size */
    CHUNKS_EXTENSION,
    CHUNKS_SIZE_END,
    CHUNKS_DATA,
    CHUNKS_DATA_CR,
    CHUNKS_DATA_LF,
    CHUNKS_LINE, /* a trailer begins, or the last line */
    CHUNKS_TRAILER,
    CHUNKS_TRAILER_LF,
    CHUNKS_LAST_LF,
    CHUNKS_DONE,
};

struct chunks { /* set it to zeros at first */
    enum chunks_state state;
    unsigned digits;
    uint64_t left;  /* bytes left of the chunk; while its size is read, the size so far */
    uint64_t extra; /* bytes of extensions and trailers so far */
    const char *problem;
};

/* Decodes the first n bytes. Moves the decoded content to their front, and sets *content to its length. Sets *used to the number of bytes
 * that it was decoded from. Stops at the body's end. Returns 1 if the body is complete, 0 if more must be received, or -EINVAL with
 * c->problem. */
int chunks_decode(struct chunks *c, char *bytes, size_t n, size_t *used, size_t *content);

#endif
