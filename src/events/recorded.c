#include "events/recorded.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSORS_MAX = 1 << 20 }; /* a larger number is damage */

/* A count of jdk.ExceptionStatistics: all exceptions since the JVM's start. */
struct recorded_count {
    int64_t ns, value;
    uint32_t chunk; /* counts of different chunks may be of different JVMs */
};

static struct jfr_value field(struct jfr_event *event, const char *name)
{
    return jfr_event_value(event, jfr_type_field(event->type, name));
}

static void take_setting(struct recorded *r, const uint64_t *ids, struct jfr_event *event)
{
    uint64_t id = (uint64_t)jfr_value_int(field(event, "id"));
    if (!id || !jfr_text_is(jfr_value_text(field(event, "name")), "enabled") || !jfr_text_is(jfr_value_text(field(event, "value")), "true"))
        return;
    for (uint32_t i = 0; i < r->event_count; i++)
        r->in[i] = r->in[i] || ids[i] == id;
}

static int take_count(struct recorded *r, struct jfr_event *event)
{
    if (ARRAY_GROW(r->counts, r->cap, r->count))
        return -ENOMEM;
    r->counts[r->count++] = (struct recorded_count){jfr_event_epoch_ns(event), jfr_value_int(field(event, "throwables")), r->chunk};
    return 0;
}

static void take_processors(struct recorded *r, struct jfr_event *event)
{
    int64_t count = jfr_value_int(field(event, "hwThreads"));
    if (count > 0 && count <= PROCESSORS_MAX)
        r->processors = (uint32_t)count;
}

static bool has_events(const struct jfr_type *type)
{
    return type && type->events;
}

int recorded_take(void *recorded, struct jfr_chunk *chunk)
{
    struct recorded *r = recorded;
    const struct jfr_type *settings = jfr_chunk_type(chunk, "jdk.ActiveSetting"),
                          *statistics = jfr_chunk_type(chunk, "jdk.ExceptionStatistics"),
                          *machine = jfr_chunk_type(chunk, "jdk.CPUInformation");
    uint64_t ids[RECORDED_MAX]; /* type ids in this chunk; 0 = it has no such type */
    struct jfr_event event;
    int rc = 0;
    for (uint32_t i = 0; i < r->event_count; i++) {
        const struct jfr_type *type = jfr_chunk_type(chunk, r->events[i]);
        ids[i] = type ? type->id : 0;
        r->in[i] = r->in[i] || has_events(type);
    }
    r->chunk++;
    if (!has_events(settings) && !has_events(statistics) && !has_events(machine))
        return 0;
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); !rc && jfr_cursor_next(&cursor, &event);)
        if (event.type == settings)
            take_setting(r, ids, &event);
        else if (event.type == statistics)
            rc = take_count(r, &event);
        else if (event.type == machine)
            take_processors(r, &event);
    return rc;
}

static void add_throws(struct recorded_throws *throws, const struct recorded_count *first, const struct recorded_count *last)
{
    if (!first || last->value < first->value || last->ns <= first->ns)
        return;
    throws->count += (uint64_t)last->value - (uint64_t)first->value;
    throws->ns += (uint64_t)last->ns - (uint64_t)first->ns;
}

struct recorded_throws recorded_throws_within(const struct recorded *r, const struct time_range *within)
{
    struct recorded_throws throws = {0};
    const struct recorded_count *first = NULL, *last = NULL; /* of the current chunk */
    for (uint32_t i = 0; i < r->count; i++) {
        const struct recorded_count *one = &r->counts[i];
        if (one->ns < within->from_ns || one->ns >= within->to_ns)
            continue;
        if (first && one->chunk != first->chunk) {
            add_throws(&throws, first, last);
            first = last = NULL;
        }
        first = !first || one->ns < first->ns ? one : first;
        last = !last || one->ns > last->ns ? one : last;
    }
    add_throws(&throws, first, last);
    return throws;
}

void recorded_deinit(struct recorded *r)
{
    free(r->counts);
    *r = (struct recorded){0};
}

int recorded_events(const struct jfr_file *file, const char *const *events, uint32_t count, const struct time_range *within, bool *in,
                    struct recorded_throws *throws, uint32_t *processors, struct error *e)
{
    struct recorded r = {.events = events, .event_count = count, .in = in};
    memset(in, 0, count * sizeof *in);
    int rc = pass_run(file, &(struct pass_reader){recorded_take, &r}, 1, NULL, e); /* the code that reads the events reports problems */
    *throws = recorded_throws_within(&r, within);
    *processors = r.processors;
    recorded_deinit(&r);
    return rc;
}
