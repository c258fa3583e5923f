/* The requests to the process, from the events of its tracer: the outermost spans. They are counted by minute, as a key metric, and by
 * second and endpoint, as samples of a type of their own. So the store keeps them as it keeps other samples, and sums them up by hour and
 * day. */
#include "base/array.h"
#include "base/time_units.h"
#include "server/measure/measure.h"
#include "store/files/contexts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ENDPOINT_BYTES = 200 }; /* the length at which the program's context cuts names of endpoints, too */

static const char event_name[] = "candor.opentracing.Span";

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

/* Seconds that no recording covers are counted at its beginning or end later. */
static int64_t second_of(int64_t ns)
{
    int64_t second = ns / (int64_t)NS_PER_S;
    return second < 0 ? 0 : second > UINT32_MAX ? UINT32_MAX : second;
}

static int count_request(struct measure_requests *r, int64_t second, struct jfr_text name)
{
    uint32_t labels;
    bool added;
    if (endpoint_of(r->profile, name, &labels))
        return -ENOMEM;
    uint32_t *place = map_add(&r->places, (uint64_t)second << 32 | labels, &added);
    if (!place || ARRAY_GROW(r->list, r->cap, r->count))
        return -ENOMEM;
    if (added) {
        r->list[r->count] = (struct measure_second){.second = second, .labels = labels};
        *place = r->count++;
    }
    r->list[*place].count++;
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

/* A request that began before the recording counts at its beginning, as it does for the key metric. */
static int64_t second_within(const struct minutes *m, int64_t second)
{
    int64_t first = m->start_ns / (int64_t)NS_PER_S, last = (m->end_ns - 1) / (int64_t)NS_PER_S;
    return second < first ? first : second > last ? last : second;
}

static int begin_samples(struct profile *p, struct profile *names, struct profile_sample *s)
{
    static const char value[] = "requests", unit[] = "count", outcome[] = "complete";
    *s = (struct profile_sample){0};
    p->unit = PROFILE_UNIT_OTHER;
    int rc = find_stack(names, &s->stack);
    rc = rc ? rc : profile_string(p, value, sizeof value - 1, &p->value);
    rc = rc ? rc : profile_string(p, unit, sizeof unit - 1, &p->unit_name);
    rc = rc ? rc : profile_string(p, outcome, sizeof outcome - 1, &s->outcome);
    return rc ? rc : profile_thread(p, 0, 0, 0, &s->thread);
}

int measure_requests(struct minutes *m, struct measure_requests *r, struct profile *names)
{
    struct profile_sample s;
    if (r->known)
        minutes_know(m, KEY_REQUESTS);
    int rc = r->count ? begin_samples(r->profile, names, &s) : 0;
    for (uint32_t i = 0; !rc && i < r->count; i++) {
        s.time_ns = second_within(m, r->list[i].second) * (int64_t)NS_PER_S;
        s.labels = r->list[i].labels;
        s.weight = s.count = r->list[i].count;
        minutes_add(m, KEY_REQUESTS, s.time_ns, (int64_t)s.count);
        rc = profile_add_sample(r->profile, &s);
    }
    return rc;
}

/* ---- the events ---- */

int measure_requests_take(void *requests, struct jfr_chunk *chunk)
{
    struct measure_requests *r = requests;
    const struct jfr_type *type = jfr_chunk_type(chunk, event_name);
    const struct jfr_field *id = type ? jfr_type_field(type, "spanId") : NULL, *root = type ? jfr_type_field(type, "rootId") : NULL;
    const struct jfr_field *operation = type ? jfr_type_field(type, "operation") : NULL;
    struct jfr_cursor cursor = jfr_cursor_init(chunk);
    struct jfr_event event;
    int rc = 0;
    if (!id || !root || !type->events)
        return 0;
    r->known = true;
    while (!rc && jfr_cursor_next(&cursor, &event)) {
        if (event.type != type || !are_same(jfr_value_text(jfr_event_value(&event, id)), jfr_value_text(jfr_event_value(&event, root))))
            continue;
        rc = count_request(r, second_of(jfr_event_epoch_ns(&event)),
                           operation ? jfr_value_text(jfr_event_value(&event, operation)) : (struct jfr_text){0});
    }
    return rc;
}
