#include "http/fetch.h"

#include "http/transport_request.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* A server may need this long to gather the data for an answer. */
enum { STALL_S = 300, HEADERS_MAX = 1 << 16 };

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    struct fetch_answer *a = context;
    buffer_put(&a->body, bytes, size * count);
    return a->body.failed ? 0 : size * count;
}

/* Collects the headers. If there are several heads, for example a proxy's before the server's, only the last one counts. */
static size_t take_header(char *bytes, size_t size, size_t count, void *context)
{
    struct fetch_answer *a = context;
    size_t n = size * count;
    if (n >= 5 && !memcmp(bytes, "HTTP/", 5))
        buffer_reset(&a->headers);
    else
        buffer_put(&a->headers, bytes, n);
    return n;
}

int fetch_get(struct transport *t, const char *url, const char *token, struct fetch_answer *answer, struct error *e)
{
    *answer = (struct fetch_answer){0};
    buffer_init(&answer->body, FETCH_MAX);
    buffer_init(&answer->headers, HEADERS_MAX);
    transport_begin(t, url, token, STALL_S);
    t->call.easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, take_body);
    t->call.easy_setopt(t->curl, CURLOPT_WRITEDATA, answer);
    t->call.easy_setopt(t->curl, CURLOPT_HEADERFUNCTION, take_header);
    t->call.easy_setopt(t->curl, CURLOPT_HEADERDATA, answer);
    int code = transport_perform(t, &answer->status, e);
    if (!answer->body.failed)
        return code;
    bool large = answer->body.len > FETCH_MAX / 2;
    return error_set(e, large ? -EFBIG : -ENOMEM, large ? "more than 2 GiB: select less" : "out of memory");
}

const char *fetch_header(const struct fetch_answer *answer, const char *name, char *out, size_t size)
{
    const char *line = (const char *)answer->headers.data, *end = line + answer->headers.len;
    size_t n = strlen(name);
    while (line < end) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        const char *stop = next ? next : end;
        if ((size_t)(stop - line) > n && line[n] == ':' && !strncasecmp(line, name, n)) {
            const char *value = line + n + 1;
            while (value < stop && *value == ' ')
                value++;
            while (stop > value && (stop[-1] == '\r' || stop[-1] == ' '))
                stop--;
            size_t len = (size_t)(stop - value);
            if (len >= size)
                return NULL;
            memcpy(out, value, len);
            out[len] = 0;
            return out;
        }
        line = stop + 1;
    }
    return NULL;
}

void fetch_deinit(struct fetch_answer *answer)
{
    buffer_deinit(&answer->body);
    buffer_deinit(&answer->headers);
}
