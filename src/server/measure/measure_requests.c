/* The requests to the process, from the events of its tracer: the outermost spans. */
#include "jfr/read/pass.h"
#include "server/measure/measure.h"

#include <string.h>

static const char event_name[] = "candor.opentracing.Span";

static bool are_same(struct jfr_text a, struct jfr_text b)
{
    return a.len && a.len == b.len && !memcmp(a.bytes, b.bytes, a.len);
}

static int take(void *context, struct jfr_chunk *chunk)
{
    struct minutes *m = context;
    const struct jfr_type *type = jfr_chunk_type(chunk, event_name);
    const struct jfr_field *id = type ? jfr_type_field(type, "spanId") : NULL, *root = type ? jfr_type_field(type, "rootId") : NULL;
    struct jfr_cursor cursor = jfr_cursor_init(chunk);
    struct jfr_event event;
    if (!id || !root || !type->events)
        return 0;
    minutes_know(m, KEY_REQUESTS);
    while (jfr_cursor_next(&cursor, &event))
        if (event.type == type && are_same(jfr_value_text(jfr_event_value(&event, id)), jfr_value_text(jfr_event_value(&event, root))))
            minutes_add(m, KEY_REQUESTS, jfr_event_epoch_ns(&event), 1);
    return 0;
}

int measure_requests(struct minutes *m, const struct jfr_file *file, struct error *e)
{
    return m->count ? pass_run(file, &(struct pass_reader){take, m}, 1, NULL, e) : 0;
}
