#include "server/push/otlp.h"

#include "base/array.h"
#include "server/push/otlp_labels.h"
#include "server/push/otlp_part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROFILES_MAX = 65536,
    ENTRIES_MAX = 4 << 20
}; /* limits for a message: profiles; strings, stacks and other entries, which take 32
                                                       * bytes of memory each */
#define SHARES_TOO_MUCH "the resources of one message share too much: send them in several"
#define PARTS_BYTES(n)  (8 * (uint64_t)(n) + ((uint64_t)16 << 20)) /* limit for the total size of the parts of a message of n bytes */

/* A profile of the message, with the properties that decide which others may share a recording with it. */
struct one {
    struct pb_field field;
    otlp_text type, unit, period_type, period_unit;
    uint64_t time, period;
    bool taken;
};

struct message {
    struct parts *parts;
    struct import in;
    struct otlp_tables t;
    struct otlp_part part;
    struct one *list; /* profiles of one resource */
    uint32_t count, cap;
    uint32_t resources, profiles, entries; /* numbers for the whole message */
    uint64_t written;
    const struct pb_field *resource;
    struct error *e;
};

/* ---- a profile ---- */

static void read_value_type(const struct message *m, const struct pb_field *field, otlp_text *type, otlp_text *unit)
{
    struct pb inner = pb_message(field);
    for (struct pb_field f; pb_next(&inner, &f);) {
        if (f.number == OTLP_TYPE)
            *type = otlp_tables_text(&m->t, f.value);
        else if (f.number == OTLP_UNIT)
            *unit = otlp_tables_text(&m->t, f.value);
    }
}

static struct one read_profile(const struct message *m, const struct pb_field *field)
{
    struct one one = {.field = *field, .type = {"", 0}, .unit = {"", 0}, .period_type = {"", 0}, .period_unit = {"", 0}};
    struct pb inner = pb_message(field);
    for (struct pb_field f; pb_next(&inner, &f);) {
        if (f.number == OTLP_SAMPLE_TYPE)
            read_value_type(m, &f, &one.type, &one.unit);
        else if (f.number == OTLP_PERIOD_TYPE)
            read_value_type(m, &f, &one.period_type, &one.period_unit);
        else if (f.number == OTLP_TIME)
            one.time = f.value;
        else if (f.number == OTLP_PERIOD)
            one.period = f.value;
    }
    one.type.len = one.type.len < CATALOGUE_TYPE_MAX ? one.type.len : CATALOGUE_TYPE_MAX; /* so that comparisons cost little */
    one.unit.len = one.unit.len < CATALOGUE_TYPE_MAX ? one.unit.len : CATALOGUE_TYPE_MAX;
    return one;
}

static bool same(otlp_text a, otlp_text b)
{
    return a.len == b.len && !memcmp(a.bytes, b.bytes, a.len);
}

/* Returns the time between two samples, in nanoseconds; 0 = unknown. */
static uint64_t interval_of(const struct one *one)
{
    static const char *const clocks[] = {"cpu", "wall", "itimer", "ctimer"};
    bool ns = otlp_is(one->period_unit, "nanoseconds") || otlp_is(one->period_unit, "ns");
    if (otlp_is(one->period_type, "wall") && !otlp_is(one->type, "wall")) /* other counts would wrongly become CPU time */
        return 0;
    for (size_t i = 0; ns && i < sizeof clocks / sizeof *clocks; i++)
        if (otlp_is(one->period_type, clocks[i]))
            return one->period < (uint64_t)1 << 40 ? one->period : 0;
    return 0;
}

/* Whether two profiles may share a recording. A recording has one time, one interval, and one unit for each value. A value without a name
 * is alone in its recording, because it cannot be chosen by a name. */
static bool fit(const struct one *a, const struct one *b)
{
    if (a->time != b->time || interval_of(a) != interval_of(b) || !a->type.len != !b->type.len)
        return false;
    return !same(a->type, b->type) || same(a->unit, b->unit);
}

/* Returns the interval with which counts become times. Returns 0 if the times are in the recording, too. */
static uint64_t scale_of(const struct one *const *group, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (otlp_is(group[i]->type, "cpu") && otlp_is(group[i]->unit, "nanoseconds"))
            return 0;
    return interval_of(group[0]);
}

/* Renames a value. async-profiler names its values after the mechanism that takes the samples. */
static int name_value(struct envelope_note *note, const struct one *one, struct error *e)
{
    static const char *const names[][2] = {
        {"itimer", "cpu"}, {"ctimer", "cpu"}, {"alloc_tracer", "alloc_space"}, {"lock_tracer", "lock"}, {"malloc_tracer", "malloc_space"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (otlp_is(one->type, names[i][0]) && !otlp_is(one->unit, "count"))
            return labels_set(&note->values, names[i][0], strlen(names[i][0]), names[i][1], strlen(names[i][1]), e);
    return 0;
}

/* ---- a recording ---- */

static void store(struct message *m, struct envelope_note *note, const struct one *const *group, uint32_t n)
{
    struct buffer out;
    struct error e = {""};
    uint32_t refused = m->parts->refused;
    int rc = m->written > PARTS_BYTES(m->in.size) ? error_set(&e, -EFBIG, SHARES_TOO_MUCH) : 0;
    note->period_ns = scale_of(group, n);
    for (uint32_t i = 0; !rc && i < n; i++)
        rc = name_value(note, group[i], &e);
    buffer_init(&out, (size_t)2 << 30);
    bool whole = m->resources == 1 && n == m->profiles;
    if (!rc && !whole) {
        otlp_part_begin(&m->part, &out);
        for (uint32_t i = 0; i < n; i++)
            otlp_part_profile(&m->part, &group[i]->field);
        otlp_part_end(&m->part, m->resource);
    }
    m->written += out.len;
    if (!rc && out.failed)
        rc = error_set(&e, -ENOMEM, "out of memory");
    else if (!rc && m->written > PARTS_BYTES(m->in.size))
        rc = error_set(&e, -EFBIG, SHARES_TOO_MUCH);
    if (rc)
        parts_refuse(m->parts, rc, &e);
    else
        parts_take(m->parts, note, whole ? m->in.bytes : out.data, whole ? m->in.size : out.len);
    if (m->parts->refused > refused)
        m->parts->rejected += n;
    buffer_deinit(&out);
    labels_deinit(&note->values);
}

/* Collects all profiles that may share a recording with the profile `first`. Profiles that are in a recording already are skipped. */
static uint32_t gather(struct message *m, uint32_t first, const struct one **group)
{
    uint32_t n = 0, types[CATALOGUE_CONTENTS_MAX], type_count = 0;
    for (uint32_t i = first; i < m->count; i++) {
        struct one *one = &m->list[i];
        bool good = !one->taken && (!n || fit(&m->list[first], one)), known = false;
        for (uint32_t k = 0; good && k < type_count; k++) {
            good = fit(&m->list[types[k]], one);
            known = known || same(m->list[types[k]].type, one->type);
        }
        if (!good || (!known && type_count == CATALOGUE_CONTENTS_MAX))
            continue;
        if (!known)
            types[type_count++] = i;
        one->taken = true;
        group[n++] = one;
    }
    return n;
}

static int store_all(struct message *m, struct envelope_note *note)
{
    const struct one **group = malloc((m->count + (size_t)1) * sizeof *group);
    if (!group)
        return -ENOMEM;
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->list[i].taken)
            continue;
        group[0] = &m->list[i];
        store(m, note, group, m->parts->count < PARTS_MAX ? gather(m, i, group) : 1); /* beyond the limit, the profile is refused, so others
                                                                                       * need not join it */
    }
    free(group);
    return 0;
}

/* ---- the message ---- */

typedef int visit(struct message *m, const struct pb_field *f);

static int each(struct message *m, struct pb from, uint32_t number, visit *v)
{
    int rc = 0;
    for (struct pb_field f; !rc && pb_next(&from, &f);)
        rc = f.number == number && f.wire == PB_BYTES ? v(m, &f) : 0;
    return !rc && from.bad ? error_set(m->e, -EINVAL, "the message cannot be read: its bytes are damaged") : rc;
}

static int check_profile(struct message *m, const struct pb_field *f)
{
    struct pb inner = pb_message(f);
    for (struct pb_field one; pb_next(&inner, &one);) /* up to version 1.7, a profile has its tables, or lists of types, here */
        if (one.number == OTLP_TIME && one.wire != PB_FIXED64)
            return error_set(m->e, -EINVAL, "an OTLP profile of version 1.7 or older; send 1.8 or later");
    if (m->profiles++ == PROFILES_MAX)
        return error_set(m->e, -EFBIG, "more than %d profiles in one message", PROFILES_MAX);
    return inner.bad ? error_set(m->e, -EINVAL, "the message cannot be read: its bytes are damaged") : 0;
}

static int check_scope(struct message *m, const struct pb_field *f)
{
    return each(m, pb_message(f), OTLP_PROFILE, check_profile);
}

static int check_resource(struct message *m, const struct pb_field *f)
{
    m->resources++;
    return each(m, pb_message(f), OTLP_SCOPE_PROFILES, check_scope);
}

static int visit_dictionary(struct message *m, const struct pb_field *f)
{
    struct pb inner = pb_message(f);
    for (struct pb_field one; pb_next(&inner, &one);)
        if (m->entries++ == ENTRIES_MAX)
            return error_set(m->e, -EFBIG, "more than %d strings, stacks and the like in one message", ENTRIES_MAX);
    int rc = otlp_tables_take(&m->t, f);
    return rc == -ENOMEM ? error_set(m->e, rc, "out of memory") : rc;
}

static int visit_profile(struct message *m, const struct pb_field *f)
{
    if (ARRAY_GROW(m->list, m->cap, m->count))
        return error_set(m->e, -ENOMEM, "out of memory");
    m->list[m->count++] = read_profile(m, f);
    return 0;
}

static int visit_scope(struct message *m, const struct pb_field *f)
{
    return each(m, pb_message(f), OTLP_PROFILE, visit_profile);
}

static int visit_resource(struct message *m, const struct pb_field *f)
{
    struct envelope_note note = {.format = "otlp"};
    struct pb_field resource = {.bytes = (const uint8_t *)""};
    struct pb inner = pb_message(f);
    for (struct pb_field one; pb_next(&inner, &one);)
        resource = one.number == OTLP_RESOURCE && one.wire == PB_BYTES ? one : resource;
    m->count = 0;
    m->resource = resource.size ? &resource : NULL;
    int rc = otlp_labels(m->parts, &m->t, &resource, &note.labels);
    rc = rc ? rc : each(m, pb_message(f), OTLP_SCOPE_PROFILES, visit_scope);
    rc = rc ? rc : store_all(m, &note);
    envelope_note_deinit(&note);
    if (rc == -ENOMEM)
        return error_set(m->e, rc, "out of memory");
    return rc && !*m->e->text ? error_set(m->e, rc, "the resource has no labels that can be kept") : rc;
}

/* Stores the profiles of a message. Checks the whole message before it stores anything. */
static int take(struct message *m)
{
    struct pb all = pb_init(m->in.bytes, m->in.size);
    int rc = each(m, all, OTLP_RESOURCE_PROFILES, check_resource);
    rc = rc ? rc : each(m, all, OTLP_DICTIONARY, visit_dictionary);
    if (!rc && otlp_part_init(&m->part, &m->t))
        rc = error_set(m->e, -ENOMEM, "out of memory");
    return rc ? rc : each(m, all, OTLP_RESOURCE_PROFILES, visit_resource);
}

int otlp_take(struct parts *p, const void *bytes, size_t n, struct error *e)
{
    struct message m = {.parts = p, .in = {.bytes = bytes, .size = n, .name = "the message", .error = e}, .e = e};
    m.t.in = &m.in;
    int rc = take(&m);
    otlp_part_deinit(&m.part);
    otlp_tables_deinit(&m.t);
    free(m.list);
    return rc;
}
