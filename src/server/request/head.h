/* Reads the head of a request, that is, the request line and the headers, strictly (RFC 9112). If this server and a proxy in front of it
 * read the same request, both must find the same end of its body. So every head that allows two readings counts as malformed: a line that
 * ends without a carriage return, a header that goes on in the next line, a blank before a colon, two lengths.
 *
 *   head_find, until it returns a length -> head_parse -> ... -> head_free */
#ifndef CANDOR_SERVER_REQUEST_HEAD_H
#define CANDOR_SERVER_REQUEST_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEAD_FIELDS_MAX = 200 }; /* limit for headers, and also for parameters */

struct head_field {
    const char *name, *value; /* both end with a zero byte */
    size_t value_len;         /* the value of a parameter may also contain zero bytes; that of a header may not */
};

struct head {
    const char *method, *path;               /* "" until they are read; the path is decoded, and has no parameters */
    struct head_field *headers, *parameters; /* in the order in which they were sent */
    uint32_t header_count, header_cap, parameter_count, parameter_cap;
    bool keep_alive; /* the client wants to send more requests */
    bool old;        /* HTTP/1.0 */
    bool expects;    /* Expect: 100-continue */
    bool chunked;
    bool packed;     /* Content-Encoding: gzip */
    uint64_t length; /* of the body, unless it is chunked; 0 = no body */
    char *text;      /* the memory into which the other members point */
};

/* Looks for the end of a head in the first n bytes. *seen: the number of bytes that earlier calls have searched; 0 at first. Returns the
 * head's length, 0 if more must be received, or -EINVAL with *problem if the head is malformed. */
long head_find(const char *bytes, size_t n, size_t *seen, const char **problem);
/* Reads a head of n bytes that head_find has found. Returns 0, or the status of the answer (400, 431, 503, 505) with *problem. Call
 * head_free in both cases. */
unsigned head_parse(struct head *head, const char *bytes, size_t n, const char **problem);
void head_free(struct head *head);

/* head_header and head_parameter return the first header or parameter of this name, or NULL. Case matters only in the names of
 * parameters. */
const char *head_header(const struct head *head, const char *name);
const struct head_field *head_parameter(const struct head *head, const char *name);

#endif
