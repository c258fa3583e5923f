/* The requests to the process, from the events of its tracer: the outermost spans. They are counted by minute, as a key metric, and by
 * second and endpoint, as samples of a type of their own. So the store keeps them as it keeps other samples, and sums them up by hour and
 * day. */
#include "base/array.h"
#include "base/time_units.h"
#include "jfr/read/pass.h"
#include "server/measure/measure.h"
#include "store/files/contexts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ENDPOINT_BYTES = 200 }; /* the length at which the program's context cuts names of endpoints, too */

static const char event_name[] = "candor.opentracing.Span";

struct taking {
    struct minutes *minutes;
    struct profile *requests;
    struct map places;
    struct second { /* the requests to an endpoint in one second */
        int64_t time_ns;
        uint32_t labels, count;
    } * list;
    uint32_t count, cap;
};

static bool are_same(struct jfr_text a, struct jfr_text b)
{
    return a.len && a.len == b.len && !memcmp(a.bytes, b.bytes, a.len);
}

/* ---- by endpoint ---- */

/* Cuts no character in the middle. */
static size_t cut(struct jfr_text name)
{
    size_t len = name.len < ENDPOINT_BYTES ? name.len : ENDPOINT_BYTES;
    while (len && len < name.len && ((unsigned char)name.bytes[len] & 0xc0) == 0x80)
        len--;
    return len;
}

static int endpoint_of(struct profile *p, struct jfr_text name, uint32_t *labels)
{
    struct profile_label label = {0};
    *labels = 0;
    if (profile_string(p, CONTEXT_ENDPOINT, strlen(CONTEXT_ENDPOINT), &label.key) ||
        profile_string(p, name.bytes ? name.bytes : "", cut(name), &label.value))
        return -ENOMEM;
    return profile_label(p, &label, labels);
}

/* A request that began before the recording counts at its beginning, as it does for the key metric. */
static int64_t time_within(const struct minutes *m, int64_t time_ns)
{
    time_ns = time_ns < m->start_ns ? m->start_ns : time_ns < m->end_ns ? time_ns : m->end_ns - 1;
    return time_ns - time_ns % NS_PER_S;
}

static int count_request(struct taking *t, int64_t time_ns, struct jfr_text name)
{
    uint32_t labels;
    bool added;
    time_ns = time_within(t->minutes, time_ns);
    if (endpoint_of(t->requests, name, &labels))
        return -ENOMEM;
    uint32_t *place = map_add(&t->places, (uint64_t)(time_ns / NS_PER_S) << 32 | labels, &added);
    if (!place || ARRAY_GROW(t->list, t->cap, t->count))
        return -ENOMEM;
    if (added) {
        t->list[t->count] = (struct second){.time_ns = time_ns, .labels = labels};
        *place = t->count++;
    }
    t->list[*place].count++;
    return 0;
}

/* Names the only frame that the samples have. */
static int find_stack(struct profile *names, uint32_t *stack)
{
    static const char text[] = "[requests]";
    uint32_t name, method, frame;
    int rc = profile_string(names, text, sizeof text - 1, &name);
    rc = rc ? rc : profile_method(names, 0, name, 0, &method);
    rc = rc ? rc : profile_frame(names, method, 0, 0, PROFILE_TYPE_MARK, &frame);
    return rc ? rc : profile_stack(names, 0, frame, stack);
}

static int add_samples(struct taking *t, struct profile *names)
{
    static const char value[] = "requests", unit[] = "count", outcome[] = "complete";
    struct profile *p = t->requests;
    struct profile_sample s = {0};
    p->unit = PROFILE_UNIT_OTHER;
    int rc = find_stack(names, &s.stack);
    rc = rc ? rc : profile_string(p, value, sizeof value - 1, &p->value);
    rc = rc ? rc : profile_string(p, unit, sizeof unit - 1, &p->unit_name);
    rc = rc ? rc : profile_string(p, outcome, sizeof outcome - 1, &s.outcome);
    rc = rc ? rc : profile_thread(p, 0, 0, 0, &s.thread);
    for (uint32_t i = 0; !rc && i < t->count; i++) {
        s.time_ns = t->list[i].time_ns;
        s.labels = t->list[i].labels;
        s.weight = s.count = t->list[i].count;
        rc = profile_add_sample(p, &s);
    }
    return rc;
}

/* ---- the events ---- */

static int take(void *context, struct jfr_chunk *chunk)
{
    struct taking *t = context;
    const struct jfr_type *type = jfr_chunk_type(chunk, event_name);
    const struct jfr_field *id = type ? jfr_type_field(type, "spanId") : NULL, *root = type ? jfr_type_field(type, "rootId") : NULL;
    const struct jfr_field *operation = type ? jfr_type_field(type, "operation") : NULL;
    struct jfr_cursor cursor = jfr_cursor_init(chunk);
    struct jfr_event event;
    int rc = 0;
    if (!id || !root || !type->events)
        return 0;
    minutes_know(t->minutes, KEY_REQUESTS);
    while (!rc && jfr_cursor_next(&cursor, &event)) {
        if (event.type != type || !are_same(jfr_value_text(jfr_event_value(&event, id)), jfr_value_text(jfr_event_value(&event, root))))
            continue;
        int64_t time_ns = jfr_event_epoch_ns(&event);
        minutes_add(t->minutes, KEY_REQUESTS, time_ns, 1);
        rc = count_request(t, time_ns, operation ? jfr_value_text(jfr_event_value(&event, operation)) : (struct jfr_text){0});
    }
    return rc;
}

int measure_requests(struct minutes *m, const struct jfr_file *file, struct profile *names, struct profile *requests, struct error *e)
{
    struct taking t = {.minutes = m, .requests = requests};
    if (!m->count)
        return 0;
    map_init(&t.places);
    int rc = pass_run(file, &(struct pass_reader){take, &t}, 1, NULL, e);
    rc = rc || !t.count ? rc : add_samples(&t, names);
    map_deinit(&t.places);
    free(t.list);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}
