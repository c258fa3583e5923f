#include "format/otlp.h"

#include "base/array.h"
#include "format/label.h"
#include "format/read/otlp_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { OTHERS_MAX = 64 }; /* names of values that are not read */

struct value_type {
    uint64_t type, unit;
};

struct numbers {
    uint64_t *list;
    uint32_t count, cap;
};

struct reader {
    struct profile *p;
    const struct import *in;
    struct otlp_tables t;
    const struct otlp_sample_fields *fields;
    otlp_text value, unit; /* those of the profiles that are read */
    bool chosen, timestamps;
    uint64_t scale, refused, others, dropped;
    struct numbers values, times; /* the numbers of one sample */
};

/* ---- samples ---- */

struct who {
    uint32_t thread, outcome;
    uint64_t os_id, java_id;
    struct profile_sample sample;
};

static int take_attribute(struct reader *r, uint64_t index, struct who *who)
{
    struct otlp_attribute a = otlp_tables_attribute(&r->t, index);
    if (otlp_is(a.key, OTLP_THREAD))
        return profile_string(r->p, a.value.bytes, a.value.len, &who->thread);
    if (otlp_is(a.key, OTLP_OUTCOME))
        return profile_string(r->p, a.value.bytes, a.value.len, &who->sample.outcome);
    if (otlp_is(a.key, OTLP_THREAD_ID))
        who->os_id = a.number;
    else if (otlp_is(a.key, OTLP_JAVA_THREAD_ID))
        who->java_id = a.number;
    else if (otlp_is(a.key, OTLP_STATE))
        who->sample.state = import_state(a.value.bytes, a.value.len);
    else if (otlp_is(a.key, OTLP_COUNT))
        who->sample.count = a.number < UINT32_MAX ? (uint32_t)a.number : UINT32_MAX;
    else if (a.kind == OTLP_IS_TEXT)
        return label_text(r->p, a.key, a.value, &who->sample.labels);
    else if (a.kind == OTLP_IS_NUMBER)
        return label_number(r->p, a.key, (int64_t)a.number, a.unit, &who->sample.labels);
    else
        r->dropped += a.key.len > 0;
    return 0;
}

/* Returns how many samples a weight represents: weights that are counts, or multiples of a period, show it. */
static uint32_t count(const struct reader *r, const struct profile_sample *s)
{
    uint64_t n = s->count;
    if (!n && r->p->unit == PROFILE_UNIT_SAMPLES)
        n = s->weight;
    else if (!n && r->p->unit == PROFILE_UNIT_NS && r->p->interval_ns && !s->time_ns)
        n = s->weight / r->p->interval_ns;
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Reads the numbers of a sample. They may be packed in one field, or each be in its own field. */
static int take_numbers(struct numbers *to, struct pb_numbers rest)
{
    for (uint64_t n; pb_number(&rest, &n);) {
        if (ARRAY_GROW(to->list, to->cap, to->count))
            return -ENOMEM;
        to->list[to->count++] = n;
    }
    return 0;
}

/* Adds a sample for each observation. The lists of values and timestamps are parallel. A value may lack its timestamp. If there are only
 * timestamps, each of them is a sample. */
static int take_observations(struct reader *r, const struct who *who, bool truncated)
{
    const struct numbers *values = &r->values, *times = &r->times;
    int rc = 0;
    for (uint32_t i = 0; !rc && (i < values->count || i < times->count); i++) {
        bool has_value = i < values->count, has_time = i < times->count;
        struct profile_sample s = who->sample;
        s.weight = import_weight(has_value ? (int64_t)values->list[i] : 1, has_value ? r->scale : 1);
        s.time_ns = has_time && times->list[i] < INT64_MAX ? (int64_t)times->list[i] : 0;
        s.count = count(r, &s);
        rc = import_sample(r->p, &s, truncated, &r->refused);
    }
    return rc;
}

static int take_attributes(struct reader *r, const struct pb_field *f, struct who *who)
{
    int rc = 0;
    struct pb_numbers rest = pb_numbers(f);
    for (uint64_t index; !rc && pb_number(&rest, &index);)
        rc = take_attribute(r, index, who);
    return rc;
}

/* Adds an id as a label in hexadecimal. An id of another length is ignored; an id of zeros means that there is none. */
static int take_id(struct reader *r, const char *key, otlp_text id, size_t bytes, struct who *who)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * OTLP_TRACE_BYTES];
    uint8_t all = 0;
    for (size_t i = 0; i < bytes && id.len == bytes; i++) {
        uint8_t byte = (uint8_t)id.bytes[i];
        all |= byte;
        text[2 * i] = digits[byte >> 4];
        text[2 * i + 1] = digits[byte & 15];
    }
    if (!all)
        return 0;
    return label_text(r->p, (otlp_text){key, strlen(key)}, (otlp_text){text, 2 * bytes}, &who->sample.labels);
}

static int take_link(struct reader *r, uint64_t index, struct who *who)
{
    otlp_text trace, span;
    otlp_tables_link(&r->t, index, &trace, &span);
    int rc = take_id(r, OTLP_TRACE_LABEL, trace, OTLP_TRACE_BYTES, who);
    return rc ? rc : take_id(r, OTLP_SPAN_LABEL, span, OTLP_SPAN_BYTES, who);
}

static int take_sample(struct reader *r, const struct pb_field *field)
{
    struct who who = {0};
    uint64_t stack = 0;
    bool truncated;
    int rc = 0;
    r->values.count = r->times.count = 0;
    struct pb m = pb_message(field);
    for (struct pb_field f; !rc && pb_next(&m, &f);) {
        if (f.number == r->fields->stack)
            stack = f.value;
        else if (f.number == r->fields->values)
            rc = take_numbers(&r->values, pb_numbers(&f));
        else if (f.number == r->fields->timestamps)
            rc = take_numbers(&r->times, pb_fixed64s(&f));
        else if (f.number == r->fields->attributes)
            rc = take_attributes(r, &f, &who);
        else if (f.number == r->fields->link && f.wire == PB_VARINT)
            rc = take_link(r, f.value, &who);
    }
    if (!rc)
        rc = otlp_tables_stack(&r->t, stack, &who.sample.stack, &truncated);
    if (!rc && !who.thread && !who.os_id && !who.java_id)
        rc = import_no_thread(r->p, &who.sample.thread);
    else if (!rc)
        rc = profile_thread(r->p, who.thread, who.os_id, who.java_id, &who.sample.thread);
    return rc ? rc : take_observations(r, &who, truncated);
}

/* ---- profiles ---- */

static struct value_type take_value_type(const struct pb_field *field)
{
    struct value_type t = {0};
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == OTLP_TYPE)
            t.type = f.value;
        else if (f.number == OTLP_UNIT)
            t.unit = f.value;
    }
    return t;
}

/* Sets *wanted if the profile has the value that is read. The first profile with an acceptable value determines it. */
static int choose(struct reader *r, struct value_type t, bool *wanted)
{
    otlp_text value = otlp_tables_text(&r->t, t.type), unit = otlp_tables_text(&r->t, t.unit);
    *wanted = false;
    if (r->chosen) {
        *wanted = value.len == r->value.len && !memcmp(value.bytes, r->value.bytes, value.len) && unit.len == r->unit.len &&
                  !memcmp(unit.bytes, r->unit.bytes, unit.len);
        return 0;
    }
    if (r->in->value && !otlp_is(value, r->in->value))
        return 0;
    r->chosen = *wanted = true;
    r->value = value;
    r->unit = unit;
    char *words[2] = {strndup(value.bytes, value.len), strndup(unit.bytes, unit.len)};
    int rc = words[0] && words[1] ? import_unit(r->p, words[0], words[1], &r->scale) : -ENOMEM;
    free(words[0]);
    free(words[1]);
    return rc;
}

/* Notes the name of a value that is not read, once for each name. If two values have the same name and different units, only the first
 * can be chosen. */
static int note_other(struct reader *r, struct value_type t)
{
    struct profile *p = r->p;
    otlp_text name = otlp_tables_text(&r->t, t.type);
    uint32_t id;
    r->others++;
    if (!name.len || p->other_value_count == OTHERS_MAX || (name.len == r->value.len && !memcmp(name.bytes, r->value.bytes, name.len)))
        return 0;
    if (profile_string(p, name.bytes, name.len, &id))
        return -ENOMEM;
    for (uint32_t i = 0; i < p->other_value_count; i++)
        if (p->other_values[i] == id)
            return 0;
    if (ARRAY_GROW(p->other_values, p->other_value_cap, p->other_value_count))
        return -ENOMEM;
    p->other_values[p->other_value_count++] = id;
    return 0;
}

static void note_span(struct profile *p, uint64_t start, uint64_t duration)
{
    if (!start || start > INT64_MAX || duration > INT64_MAX - start)
        return;
    uint64_t end = p->start_ns ? (uint64_t)p->start_ns + p->duration_ns : 0;
    end = start + duration > end ? start + duration : end;
    p->start_ns = p->start_ns && (uint64_t)p->start_ns < start ? p->start_ns : (int64_t)start;
    p->duration_ns = end - (uint64_t)p->start_ns;
}

static int take_profile(struct reader *r, const struct pb_field *field)
{
    struct value_type type = {0}, period_type = {0};
    uint64_t start = 0, duration = 0, period = 0;
    bool wanted;
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == OTLP_SAMPLE_TYPE)
            type = take_value_type(&f);
        else if (f.number == OTLP_TIME)
            start = f.value;
        else if (f.number == OTLP_DURATION)
            duration = f.value;
        else if (f.number == OTLP_PERIOD_TYPE)
            period_type = take_value_type(&f);
        else if (f.number == OTLP_PERIOD)
            period = f.value;
    }
    int rc = choose(r, type, &wanted);
    if (!rc && !wanted)
        rc = note_other(r, type);
    if (rc || !wanted)
        return rc;
    note_span(r->p, start, duration);
    otlp_text unit = otlp_tables_text(&r->t, period_type.unit);
    if ((otlp_is(unit, "nanoseconds") || otlp_is(unit, "ns")) && period < 1ull << 62)
        r->p->interval_ns = period;
    m = pb_message(field);
    for (struct pb_field f; !rc && pb_next(&m, &f);)
        rc = f.number == OTLP_SAMPLE ? take_sample(r, &f) : 0;
    return rc;
}

static int take_resource(struct reader *r, const struct pb_field *field)
{
    struct profile *p = r->p;
    int rc = 0;
    struct pb m = pb_message(field);
    for (struct pb_field f; !rc && pb_next(&m, &f);) {
        if (f.number != OTLP_RESOURCE_ATTRIBUTE)
            continue;
        struct otlp_attribute a = otlp_tables_key_value(&r->t, &f);
        if (otlp_is(a.key, OTLP_PID))
            p->pid = a.number;
        else if (otlp_is(a.key, OTLP_HOST))
            rc = profile_set_host(p, a.value.bytes, a.value.len);
        else if (otlp_is(a.key, OTLP_COMMAND))
            rc = profile_string(p, a.value.bytes, a.value.len, &p->command);
        else if (otlp_is(a.key, OTLP_JVM))
            rc = profile_string(p, a.value.bytes, a.value.len, &p->jvm_version);
    }
    return rc;
}

/* ---- the file: visit the relevant fields of each level ---- */

typedef int visit(struct reader *r, const struct pb_field *f);

static int each(struct reader *r, struct pb m, uint32_t number, visit *v)
{
    int rc = 0;
    for (struct pb_field f; !rc && pb_next(&m, &f);)
        rc = f.number == number ? v(r, &f) : 0;
    return !rc && m.bad ? import_bad(r->in, "damaged: an OTLP profile that is truncated, or another kind of file") : rc;
}

static int visit_scope_profiles(struct reader *r, const struct pb_field *f)
{
    return each(r, pb_message(f), OTLP_PROFILE, take_profile);
}

static int visit_resource_profiles(struct reader *r, const struct pb_field *f)
{
    int rc = each(r, pb_message(f), OTLP_RESOURCE, take_resource);
    return rc ? rc : each(r, pb_message(f), OTLP_SCOPE_PROFILES, visit_scope_profiles);
}

static int visit_dictionary(struct reader *r, const struct pb_field *f)
{
    return otlp_tables_take(&r->t, f);
}

/* Determines the version by the fields of a sample. Values and attributes are packed fields in one version where the other has the link,
 * a single number. A sample with neither of them has, in 1.10, only timestamps. Writers that pack nothing appeared with 1.10; their
 * samples have values that are not packed, which 1.9's samples always are. */
static int note_version(struct reader *r, const struct pb_field *sample)
{
    bool packed = false, single = false;
    struct pb m = pb_message(sample);
    for (struct pb_field f; !r->fields && pb_next(&m, &f);) {
        packed = packed || (f.wire == PB_BYTES && f.number == otlp_sample_fields[OTLP_1_9].values);
        single = single || (f.wire == PB_VARINT && f.number == otlp_sample_fields[OTLP_1_10].values);
        if (f.wire == PB_BYTES && f.number == otlp_sample_fields[OTLP_1_10].values)
            r->fields = &otlp_sample_fields[OTLP_1_10];
        else if (f.wire == PB_BYTES && f.number == otlp_sample_fields[OTLP_1_9].attributes)
            r->fields = &otlp_sample_fields[OTLP_1_9];
        else if (f.number == otlp_sample_fields[OTLP_1_10].timestamps)
            r->timestamps = true;
    }
    if (!r->fields && single && !packed)
        r->fields = &otlp_sample_fields[OTLP_1_10];
    return 0;
}

static int version_in_profile(struct reader *r, const struct pb_field *f)
{
    return each(r, pb_message(f), OTLP_SAMPLE, note_version);
}

static int version_in_scope(struct reader *r, const struct pb_field *f)
{
    return each(r, pb_message(f), OTLP_PROFILE, version_in_profile);
}

static int version_in_resource(struct reader *r, const struct pb_field *f)
{
    return each(r, pb_message(f), OTLP_SCOPE_PROFILES, version_in_scope);
}

static int read_all(struct reader *r)
{
    struct pb file = pb_init(r->in->bytes, r->in->size);
    int rc = each(r, file, OTLP_RESOURCE_PROFILES, version_in_resource);
    if (!r->fields)
        r->fields = &otlp_sample_fields[r->timestamps ? OTLP_1_10 : OTLP_1_9];
    rc = rc ? rc : each(r, file, OTLP_DICTIONARY, visit_dictionary);
    rc = rc ? rc : otlp_tables_resolve(&r->t);
    rc = rc ? rc : each(r, file, OTLP_RESOURCE_PROFILES, visit_resource_profiles);
    if (!rc && !r->chosen && r->in->value)
        return import_bad(r->in, "no profile of '%.60s' in this file", r->in->value);
    if (!rc && !r->chosen)
        return import_bad(r->in, "no OTLP profile in this file");
    if (!rc && r->others)
        rc = profile_add_problem(r->p, "info", "%llu profiles of other values than %.*s are not read; choose one with --value",
                                 (unsigned long long)r->others, (int)(r->value.len < 60 ? r->value.len : 60), r->value.bytes);
    if (!rc && r->dropped)
        rc = profile_add_problem(r->p, "info", "%llu attributes of samples are left out: only texts and whole numbers are kept",
                                 (unsigned long long)r->dropped);
    return rc ? rc : import_refused(r->p, r->refused);
}

int otlp_read(struct profile *p, const struct import *in)
{
    struct reader r = {.p = p, .in = in, .t = {.p = p, .in = in, .steps = 64 * (uint64_t)in->size + 65536}, .scale = 1};
    int rc = read_all(&r);
    otlp_tables_deinit(&r.t);
    free(r.values.list);
    free(r.times.list);
    return rc;
}
