/* The head of a request: request line and headers, read strictly (RFC 9112). Two readers of one request, as this server and a proxy in
 * front of it, must find the same end of its body. So every head that leaves room for two readings is malformed: a line that ends
 * without a carriage return, a header that goes on in the next line, a blank before a colon, two lengths.
 *
 *   head_find, until it returns a length -> head_parse -> ... -> head_free */
#ifndef CANDOR_SERVER_REQUEST_HEAD_H
#define CANDOR_SERVER_REQUEST_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEAD_FIELDS_MAX = 200 }; /* headers, and as many parameters */

struct head_field {
    const char *name, *value; /* each ends with a zero byte */
    size_t value_len;         /* a parameter may hold zero bytes, too; a header does not */
};

struct head {
    const char *method, *path;               /* "" before they are known; the path is decoded, without its parameters */
    struct head_field *headers, *parameters; /* in their order */
    uint32_t header_count, header_cap, parameter_count, parameter_cap;
    bool keep_alive; /* the client wants to send more requests */
    bool old;        /* HTTP/1.0 */
    bool expects;    /* Expect: 100-continue */
    bool chunked;
    bool packed;     /* Content-Encoding: gzip */
    uint64_t length; /* of the body, unless it is chunked; 0 = none */
    char *text;      /* what the others point into */
};

/* Looks for the end of a head in the first n bytes. *seen is how many were looked at before: 0 at first. Returns the head's length, 0 if
 * more must come, -EINVAL with *problem if it is malformed so far. */
long head_find(const char *bytes, size_t n, size_t *seen, const char **problem);
/* Reads a head of n bytes that head_find found. 0, or the status of the answer (400, 431, 503, 505) with *problem. head_free either way. */
unsigned head_parse(struct head *head, const char *bytes, size_t n, const char **problem);
void head_free(struct head *head);

/* The first of this name, or NULL. Names of headers have no case, those of parameters do. */
const char *head_header(const struct head *head, const char *name);
const struct head_field *head_parameter(const struct head *head, const char *name);

#endif
