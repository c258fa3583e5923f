/* Reads one HTTP/1.1 response as its bytes arrive. It reads only enough to find the response's end, in bounded memory. Bodies are
 * counted, not kept. Limits: 8 KiB for a line, 64 KiB for all header lines, 256 bytes for a chunk-size line. */
#ifndef CANDOR_LOAD_RESPONSE_H
#define CANDOR_LOAD_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RESPONSE_LINE_MAX = 8192, RESPONSE_HEAD_MAX = 65536, RESPONSE_CHUNK_LINE_MAX = 256 };

enum response_state {
    RESPONSE_STATUS_LINE,
    RESPONSE_HEADERS,
    RESPONSE_BODY,        /* a body with `left` more bytes */
    RESPONSE_UNTIL_CLOSE, /* a body that ends with the connection */
    RESPONSE_CHUNK_SIZE,
    RESPONSE_CHUNK,
    RESPONSE_CHUNK_END,
    RESPONSE_TRAILERS,
    RESPONSE_DONE,
    RESPONSE_BROKEN
};

struct response {
    enum response_state state;
    bool to_head;    /* the request was HEAD, so no body follows */
    bool keep_alive; /* the connection can carry another request; valid when done */
    bool chunked, has_length, until_close;
    int status;
    uint64_t left;
    uint64_t body;      /* bytes of the body so far */
    uint32_t head_size; /* bytes of header lines so far */
    uint32_t line_len;
    const char *problem; /* the reason for RESPONSE_BROKEN, half a sentence */
    char line[RESPONSE_LINE_MAX];
};

void response_start(struct response *r, bool to_head);
/* Reads bytes up to the end of the response and returns their number. Check `state` afterwards. */
size_t response_feed(struct response *r, const char *bytes, size_t n);
/* Ends the response when the peer has closed the connection. The state becomes DONE if the body ends with the connection, otherwise
 * BROKEN. */
void response_close(struct response *r);

#endif
