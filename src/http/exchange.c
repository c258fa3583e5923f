#include "http/exchange.h"

#include "http/transport_request.h"

#include <errno.h>

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    struct buffer *answer = context;
    buffer_put(answer, bytes, size * count);
    return answer->failed ? 0 : size * count;
}

int exchange_send(struct transport *t, const struct exchange_letter *letter, struct buffer *answer, long *status, struct error *e)
{
    transport_begin(t, letter->url, "", letter->stall_s);
    t->call.easy_setopt(t->curl, CURLOPT_POST, 1L);
    t->call.easy_setopt(t->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)letter->size);
    t->call.easy_setopt(t->curl, CURLOPT_POSTFIELDS, letter->bytes);
    t->call.easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, take_body);
    t->call.easy_setopt(t->curl, CURLOPT_WRITEDATA, answer);
    for (const char *const *header = letter->headers; *header; header++)
        transport_header(t, "%s", *header);
    transport_header(t, "Content-Type: application/octet-stream");
    transport_header(t, "Expect:"); /* turned off, because a server that refuses the request says so anyway */
    int rc = transport_perform(t, status, e);
    int full = buffer_code(answer);
    return full ? error_set(e, full, full == -EFBIG ? "the answer is too large" : "out of memory") : rc;
}
