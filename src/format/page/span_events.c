#include "format/page/span_events.h"

/* The fields of a type with the parts of a span; NULL = its events do not have it. */
struct span_type {
    const char *event, *trace, *span, *name, *thread;
};

static const struct span_type span_types[] = {
    {"profiler.Span", NULL, NULL, "tag", "eventThread"},
    {"candor.opentracing.Span", "traceId", "spanId", "operation", "startThread"},
    {"candor.opentracing.Scope", "traceId", "spanId", "operation", "eventThread"},
};

static struct jfr_value value_of(struct jfr_event *event, const char *field)
{
    return jfr_event_value(event, field ? jfr_type_field(event->type, field) : NULL);
}

static int take_event(struct spans *s, const struct span_type *type, struct jfr_event *event)
{
    struct jfr_thread_info thread;
    char number[JFR_THREAD_NUMBER];
    int64_t ns = jfr_event_span_ns(event, "duration");
    struct span_event one = {.trace = jfr_value_text(value_of(event, type->trace)),
                             .span = jfr_value_text(value_of(event, type->span)),
                             .endpoint = jfr_value_text(value_of(event, type->name)),
                             .from_ns = jfr_event_epoch_ns(event)};
    if (jfr_thread_of(value_of(event, type->thread), &thread))
        one.thread = jfr_thread_name(&thread, number);
    if (__builtin_add_overflow(one.from_ns, ns, &one.to_ns))
        return 0;
    return spans_add_event(s, &one);
}

static int take(void *context, struct jfr_chunk *chunk)
{
    const struct jfr_type *types[sizeof span_types / sizeof *span_types];
    uint32_t present = 0;
    int rc = 0;
    struct jfr_event event;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        types[i] = jfr_chunk_type(chunk, span_types[i].event);
        present += types[i] && types[i]->events;
    }
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); present && !rc && jfr_cursor_next(&cursor, &event);)
        for (size_t i = 0; !rc && i < sizeof types / sizeof *types; i++)
            if (event.type == types[i])
                rc = take_event(context, &span_types[i], &event);
    return rc;
}

struct pass_reader span_events_reader(struct spans *spans)
{
    return (struct pass_reader){take, spans};
}
