/* libFuzzer target: a request to candor server, with its head, a body in chunks, and a form, has the same result whole and byte by byte. */
#include "server/request/chunks.h"
#include "server/request/form.h"
#include "server/request/head.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* ---- the head ---- */

static long find_by_bytes(const char *bytes, size_t size)
{
    size_t seen = 0;
    long n = 0;
    const char *problem = NULL;
    for (size_t come = 1; come <= size && !n; come++)
        n = head_find(bytes, come, &seen, &problem);
    check(n >= 0 || problem);
    return n;
}

/* The framing of a request must have only one interpretation. */
static void check_head(const char *bytes, size_t n)
{
    struct head head;
    const char *problem;
    unsigned status = head_parse(&head, bytes, n, &problem), lengths = 0, codings = 0;
    check(!status == !problem);
    for (uint32_t i = 0; i < head.header_count; i++) {
        const struct head_field *h = &head.headers[i];
        check(strlen(h->value) == h->value_len && *h->name && !strpbrk(h->name, " \t:\r\n") && !strpbrk(h->value, "\r\n"));
        lengths += !strcasecmp(h->name, "Content-Length");
        codings += !strcasecmp(h->name, "Transfer-Encoding");
    }
    if (!status) {
        check(lengths + codings <= 1 && head.chunked == codings && (!head.length || lengths));
        check(*head.method && *head.path && !head_header(&head, "") && !memchr(bytes, 0, n));
        check(*head.path == '/' || !strcmp(head.path, "*"));
    }
    head_free(&head);
}

/* ---- bodies ---- */

struct content {
    char *bytes;
    size_t n;
    int end;
};

static struct content decode(const char *bytes, size_t size, size_t piece)
{
    struct chunks c = {0};
    struct content all = {.bytes = malloc(size + 1)};
    char *part = malloc(size + 1);
    for (size_t at = 0, used, content; at < size && !all.end; at += used) {
        size_t n = size - at < piece ? size - at : piece;
        memcpy(part, bytes + at, n);
        all.end = chunks_decode(&c, part, n, &used, &content);
        check(used <= n && content <= used && (all.end || used == n));
        memcpy(all.bytes + all.n, part, content);
        all.n += content;
    }
    check(all.end >= 0 || c.problem);
    free(part);
    return all;
}

static void take(void *context, const char *name, const char *bytes, size_t n)
{
    struct content *all = context;
    check(*name && n);
    memcpy(all->bytes + all->n, bytes, n);
    all->n += n;
}

static struct content read_form(const char *bytes, size_t size, size_t piece)
{
    struct form f;
    struct content all = {.bytes = malloc(size + 1)};
    check(form_begin(&f, "multipart/form-data; boundary=\"b\"", take, &all));
    bool good = true;
    for (size_t at = 0; at < size; at += piece)
        good = form_feed(&f, bytes + at, size - at < piece ? size - at : piece);
    check(good || !form_is_complete(&f));
    check(all.n <= size);
    all.end = good ? form_is_complete(&f) : -1;
    return all;
}

static void compare(struct content whole, struct content single)
{
    check(whole.end == single.end && (whole.end < 0 || (whole.n == single.n && !memcmp(whole.bytes, single.bytes, whole.n))));
    free(whole.bytes);
    free(single.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    const char *bytes = (const char *)input, *problem = NULL;
    size_t seen = 0;
    long n = head_find(bytes, size, &seen, &problem);
    check(n == find_by_bytes(bytes, size) && n <= (long)size);
    if (n > 0)
        check_head(bytes, (size_t)n);
    size_t body = n > 0 ? (size_t)n : 0;
    compare(decode(bytes + body, size - body, size + 1), decode(bytes + body, size - body, 1));
    compare(read_form(bytes + body, size - body, size + 1), read_form(bytes + body, size - body, 1));
    return 0;
}
