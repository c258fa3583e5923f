/* libFuzzer target: an HTTP answer has the same result whole and byte by byte, within the limits of its reader. */
#include "load/response.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static size_t feed(struct response *r, const char *bytes, size_t n, size_t piece)
{
    size_t at = 0;
    response_start(r, false);
    while (at < n && r->state != RESPONSE_DONE && r->state != RESPONSE_BROKEN) {
        size_t part = n - at < piece ? n - at : piece, taken = response_feed(r, bytes + at, part);
        if (taken > part || r->line_len >= RESPONSE_LINE_MAX)
            abort();
        at += taken;
    }
    response_close(r);
    if (r->state != RESPONSE_DONE && (r->state != RESPONSE_BROKEN || !r->problem))
        abort();
    return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct response whole, single;
    size_t a = feed(&whole, (const char *)bytes, size, size), b = feed(&single, (const char *)bytes, size, 1);
    if (whole.state != single.state ||
        (whole.state == RESPONSE_DONE && (a != b || whole.body != single.body || whole.status != single.status)))
        abort();
    return 0;
}
