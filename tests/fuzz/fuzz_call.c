/* libFuzzer target: the message of a call, as protocol buffers and as JSON. Reading it must end, and its texts must have no zero bytes. */
#include "server/connect/asked.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct asked_field of_two[] = {{1, "left", ASKED_LEFT, 0, NULL}, {2, "right", ASKED_RIGHT, 0, NULL}, {0}};

static void check(bool holds)
{
    if (!holds)
        abort();
}

static size_t bytes_of(const struct asked_texts *t)
{
    size_t n = 0;
    for (uint32_t i = 0; i < t->count; i++)
        n += strlen(t->list[i]);
    return n;
}

static void read_as(const struct asked_field *fields, bool json, const uint8_t *bytes, size_t size)
{
    struct asked a;
    struct error e = {0};
    int rc = asked_read(&a, fields, json, bytes, size, &e);
    check(!rc || *e.text);
    check(bytes_of(&a.selector) + bytes_of(&a.call_site) + bytes_of(&a.span_ids) <= size);
    asked_deinit(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    read_as(asked_stacktraces, false, bytes, size);
    read_as(asked_stacktraces, true, bytes, size);
    read_as(of_two, false, bytes, size);
    read_as(of_two, true, bytes, size);
    return 0;
}
