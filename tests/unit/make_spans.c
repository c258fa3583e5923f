/* Writes a chunk of JDK Flight Recorder with spans of CandorTracer, for tests: make_spans FILE. Each line of the input is a span: its id,
 * the id of the outermost span in the process, the millisecond at which it begins, and the name of its operation. */
#include "jfr_craft.h"

#include <stdio.h>

enum { LONG = 10, STRING, EVENT, SPAN };

static const struct craft_type types[] = {
    {LONG, "long", NULL, {{0}}},
    {STRING, "java.lang.String", NULL, {{0}}},
    {EVENT, "jdk.jfr.Event", NULL, {{0}}},
    {SPAN,
     "candor.opentracing.Span",
     "jdk.jfr.Event",
     {{"startTime", LONG}, {"spanId", STRING}, {"rootId", STRING}, {"operation", STRING}}},
};

int main(int argc, char **argv)
{
    struct buffer b;
    char span[32], root[32], operation[1000];
    unsigned ms;
    FILE *out = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (!out)
        return 2;
    buffer_init(&b, 1 << 26);
    size_t chunk = craft_begin(&b, types, sizeof types / sizeof *types);
    while (scanf("%31s %31s %u %999[^\n]", span, root, &ms, operation) == 4) {
        size_t event = craft_event(&b, SPAN);
        buffer_varint(&b, CRAFT_START_TICKS + 1000 * (uint64_t)ms);
        craft_text(&b, span);
        craft_text(&b, root);
        craft_text(&b, operation);
        craft_event_end(&b, event);
    }
    craft_end(&b, chunk);
    int failed = b.failed || fwrite(b.data, 1, b.len, out) != b.len || fclose(out);
    buffer_deinit(&b);
    return failed;
}
