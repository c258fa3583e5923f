#include "events/recorded.h"

#include <string.h>

enum { PROCESSORS_MAX = 1 << 20 }; /* a larger number is damage */

struct search {
    const char *const *events;
    uint32_t count;
    bool *in;
    const struct time_range *within;
    struct recorded_throws *throws;
    uint32_t *processors;
    uint64_t ids[RECORDED_MAX]; /* type ids in the current chunk; 0 = it has no such type */
};

static struct jfr_value field(struct jfr_event *event, const char *name)
{
    return jfr_event_value(event, jfr_type_field(event->type, name));
}

static void take_setting(struct search *s, struct jfr_event *event)
{
    uint64_t id = (uint64_t)jfr_value_int(field(event, "id"));
    if (!id || !jfr_text_is(jfr_value_text(field(event, "name")), "enabled") || !jfr_text_is(jfr_value_text(field(event, "value")), "true"))
        return;
    for (uint32_t i = 0; i < s->count; i++)
        s->in[i] = s->in[i] || s->ids[i] == id;
}

/* The JVM's count since its start, at a certain time. */
struct count {
    int64_t ns, value;
    bool known;
};

static void take_count(const struct search *s, struct count *first, struct count *last, struct jfr_event *event)
{
    struct count one = {jfr_event_epoch_ns(event), jfr_value_int(field(event, "throwables")), true};
    if (one.ns < s->within->from_ns || one.ns >= s->within->to_ns)
        return;
    if (!first->known || one.ns < first->ns)
        *first = one;
    if (!last->known || one.ns > last->ns)
        *last = one;
}

static void add_throws(struct recorded_throws *throws, const struct count *first, const struct count *last)
{
    if (!first->known || last->value < first->value || last->ns <= first->ns)
        return;
    throws->count += (uint64_t)last->value - (uint64_t)first->value;
    throws->ns += (uint64_t)last->ns - (uint64_t)first->ns;
}

static void take_processors(const struct search *s, struct jfr_event *event)
{
    int64_t count = jfr_value_int(field(event, "hwThreads"));
    if (count > 0 && count <= PROCESSORS_MAX)
        *s->processors = (uint32_t)count;
}

static void search_chunk(struct search *s, struct jfr_chunk *chunk)
{
    const struct jfr_type *settings = jfr_chunk_type(chunk, "jdk.ActiveSetting"),
                          *statistics = jfr_chunk_type(chunk, "jdk.ExceptionStatistics"),
                          *machine = jfr_chunk_type(chunk, "jdk.CPUInformation");
    struct count first = {0}, last = {0};
    struct jfr_event event;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct jfr_type *type = jfr_chunk_type(chunk, s->events[i]);
        s->ids[i] = type ? type->id : 0;
        s->in[i] = s->in[i] || (type && type->events);
    }
    if (!(settings && settings->events) && !(statistics && statistics->events) && !(machine && machine->events))
        return;
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); jfr_cursor_next(&cursor, &event);)
        if (event.type == settings)
            take_setting(s, &event);
        else if (event.type == statistics)
            take_count(s, &first, &last, &event);
        else if (event.type == machine)
            take_processors(s, &event);
    add_throws(s->throws, &first, &last);
}

int recorded_events(const struct jfr_file *file, const char *const *events, uint32_t count, const struct time_range *within, bool *in,
                    struct recorded_throws *throws, uint32_t *processors, struct error *e)
{
    struct search s = {.events = events,
                       .count = count < RECORDED_MAX ? count : RECORDED_MAX,
                       .in = in,
                       .within = within,
                       .throws = throws,
                       .processors = processors};
    int rc = 0;
    *throws = (struct recorded_throws){0};
    *processors = 0;
    memset(in, 0, count * sizeof *in);
    for (uint32_t i = 0; !rc && i < jfr_file_chunks(file); i++) {
        struct jfr_chunk *chunk;
        rc = jfr_chunk_open(&chunk, file, i, NULL, e); /* the code that reads the events reports problems */
        if (rc || !chunk)
            continue;
        search_chunk(&s, chunk);
        jfr_chunk_close(chunk);
    }
    return rc;
}
