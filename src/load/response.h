/* Reads one HTTP/1.1 response as its bytes come: only enough of it to know where it ends, in bounded memory. Bodies are
 * counted, not kept. Limits: 8 KiB a line, 64 KiB of header lines, 256 bytes a chunk-size line. */
#ifndef CANDOR_LOAD_RESPONSE_H
#define CANDOR_LOAD_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RESPONSE_LINE_MAX = 8192, RESPONSE_HEAD_MAX = 65536, RESPONSE_CHUNK_LINE_MAX = 256 };

enum response_state {
    RESPONSE_STATUS_LINE,
    RESPONSE_HEADERS,
    RESPONSE_BODY,        /* `left` bytes */
    RESPONSE_UNTIL_CLOSE, /* as many as come */
    RESPONSE_CHUNK_SIZE,
    RESPONSE_CHUNK,
    RESPONSE_CHUNK_END,
    RESPONSE_TRAILERS,
    RESPONSE_DONE,
    RESPONSE_BROKEN
};

struct response {
    enum response_state state;
    bool to_head;    /* the request was HEAD: no body follows */
    bool keep_alive; /* the connection can carry another request; meaningful when done */
    bool chunked, has_length, until_close;
    int status;
    uint64_t left;
    uint64_t body;      /* bytes of it so far */
    uint32_t head_size; /* bytes of header lines so far */
    uint32_t line_len;
    const char *problem; /* of RESPONSE_BROKEN, half a sentence */
    char line[RESPONSE_LINE_MAX];
};

void response_start(struct response *r, bool to_head);
/* Takes bytes up to the end of the response and returns how many; then or before, look at `state`. */
size_t response_feed(struct response *r, const char *bytes, size_t n);
/* Call it when the peer has closed the connection: DONE if the body ends with the connection, else BROKEN. */
void response_close(struct response *r);

#endif
