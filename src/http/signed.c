#include "http/signed.h"

#include "http/transport_request.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum { EXPECT_MS = 100 }; /* how long a server may take to say that it wants the body */

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    struct buffer *answer = context;
    buffer_put(answer, bytes, size * count);
    return answer->failed ? 0 : size * count;
}

/* Keeps the answer's ETag. A tag that is too long is none: part of it would be that of another version. */
static size_t take_header(char *line, size_t size, size_t count, void *context)
{
    static const char name[] = "etag:";
    char *tag = context;
    size_t all = size * count, n = all, at = sizeof name - 1;
    if (n < at || strncasecmp(line, name, at))
        return all;
    while (at < n && (line[at] == ' ' || line[at] == '\t'))
        at++;
    while (n > at && (unsigned char)line[n - 1] <= ' ')
        n--;
    if (n - at >= SIGNED_TAG_MAX)
        n = at;
    memcpy(tag, line + at, n - at);
    tag[n - at] = 0;
    return all;
}

/* libcurl signs a body only if it has the whole of it, as that of a POST. */
static void give_body(struct transport *t, const struct signed_letter *letter)
{
    t->call.easy_setopt(t->curl, CURLOPT_POST, 1L);
    t->call.easy_setopt(t->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)letter->size);
    t->call.easy_setopt(t->curl, CURLOPT_POSTFIELDS, letter->bytes);
    transport_header(t, "Content-Type: application/octet-stream");
    t->call.easy_setopt(t->curl, CURLOPT_EXPECT_100_TIMEOUT_MS, (long)EXPECT_MS); /* a header that turns it off would be signed */
}

int signed_send(struct transport *t, const struct signed_letter *letter, struct buffer *answer, long *status, struct error *e)
{
    transport_begin(t, letter->url, "", letter->stall_s);
    if (letter->bytes)
        give_body(t, letter);
    t->call.easy_setopt(t->curl, CURLOPT_CUSTOMREQUEST, letter->method);
    t->call.easy_setopt(t->curl, CURLOPT_AWS_SIGV4, letter->scope);
    t->call.easy_setopt(t->curl, CURLOPT_USERPWD, letter->key);
    t->call.easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, take_body);
    t->call.easy_setopt(t->curl, CURLOPT_WRITEDATA, answer);
    transport_header(t, "x-amz-content-sha256: %s", letter->digest);
    if (letter->header)
        transport_header(t, "%s", letter->header);
    if (letter->tag) {
        *letter->tag = 0;
        t->call.easy_setopt(t->curl, CURLOPT_HEADERFUNCTION, take_header);
        t->call.easy_setopt(t->curl, CURLOPT_HEADERDATA, letter->tag);
    }
    if (*letter->token)
        transport_header(t, "x-amz-security-token: %s", letter->token);
    int rc = transport_perform(t, status, e);
    int full = buffer_code(answer);
    return full ? error_set(e, full, full == -EFBIG ? "the answer is too large" : "out of memory") : rc;
}
