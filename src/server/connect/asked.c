#include "server/connect/asked.h"

#include "base/array.h"
#include "base/text/number.h"
#include "base/pb.h"

#include <errno.h>
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 3 };

const char *const asked_formats[] = {"PROFILE_FORMAT_UNSPECIFIED", "PROFILE_FORMAT_FLAMEGRAPH", "PROFILE_FORMAT_TREE",
                                     "PROFILE_FORMAT_DOT",         "PROFILE_FORMAT_PPROF",      NULL};

const struct asked_field asked_stacktraces[] = {
    ASKED_TEXT_FIELD(1, "profile_typeID", profile_type),
    ASKED_TEXT_FIELD(2, "label_selector", selector),
    ASKED_INT_FIELD(3, "start", start),
    ASKED_INT_FIELD(4, "end", end),
    ASKED_INT_FIELD(5, "max_nodes", max_nodes),
    {6, "format", ASKED_INT, offsetof(struct asked, format), asked_formats},
    {7, "stack_trace_selector", ASKED_CALL_SITE, 0, NULL},
    ASKED_TEXT_FIELD(8, "profile_id_selector", profile_ids),
    ASKED_TEXT_FIELD(10, "trace_id_selector", trace_ids),
    ASKED_TEXT_FIELD(11, "span_selector", span_ids),
    {0},
};

int asked_add(struct asked_texts *t, const char *text, size_t len)
{
    if (ARRAY_GROW(t->list, t->cap, t->count))
        return -ENOMEM;
    char *copy = malloc(len + 1);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, text, len);
    copy[len] = 0;
    t->list[t->count++] = copy;
    return 0;
}

static void *member(struct asked *a, const struct asked_field *f)
{
    return (char *)a + f->offset;
}

static struct asked *side(struct asked *a, const struct asked_field *f)
{
    struct asked **at = &a->sides[f->kind == ASKED_RIGHT];
    if (!*at)
        *at = calloc(1, sizeof **at);
    return *at;
}

/* ---- protocol buffers ---- */

static int read_message(struct asked *a, const struct asked_field *fields, struct pb message, int depth, struct error *e);

/* Reads a StackTraceSelector: a list of Locations, each with a name. */
static int read_call_site(struct asked *a, struct pb message)
{
    int rc = 0;
    for (struct pb_field f, inner; !rc && pb_next(&message, &f);) {
        struct pb location = pb_message(&f);
        while (f.number == 1 && f.wire == PB_BYTES && !rc && pb_next(&location, &inner))
            if (inner.number == 1 && inner.wire == PB_BYTES)
                rc = asked_add(&a->call_site, (const char *)inner.bytes, inner.size);
    }
    return rc;
}

static int read_field(struct asked *a, const struct asked_field *field, const struct pb_field *f, int depth, struct error *e)
{
    enum pb_wire wire = field->kind == ASKED_INT ? PB_VARINT : field->kind == ASKED_DOUBLE ? PB_FIXED64 : PB_BYTES;
    if (f->wire != wire)
        return error_set(e, -EINVAL, "%s: of a wrong wire type", field->name);
    switch (field->kind) {
    case ASKED_TEXT:
        if (memchr(f->bytes, 0, f->size))
            return error_set(e, -EINVAL, "%s: it has a zero byte", field->name);
        return asked_add(member(a, field), (const char *)f->bytes, f->size);
    case ASKED_INT:
        *(int64_t *)member(a, field) = (int64_t)f->value;
        return 0;
    case ASKED_DOUBLE:
        memcpy(member(a, field), &f->value, sizeof f->value);
        return 0;
    case ASKED_CALL_SITE:
        return read_call_site(a, pb_message(f));
    case ASKED_LEFT:
    case ASKED_RIGHT:
        break;
    }
    struct asked *one = side(a, field);
    return one ? read_message(one, asked_stacktraces, pb_message(f), depth + 1, e) : -ENOMEM;
}

static int read_message(struct asked *a, const struct asked_field *fields, struct pb message, int depth, struct error *e)
{
    int rc = 0;
    for (struct pb_field f; !rc && depth < DEPTH && pb_next(&message, &f);)
        for (const struct asked_field *field = fields; field->name; field++)
            if (field->number == f.number) {
                rc = read_field(a, field, &f, depth, e);
                break;
            }
    return !rc && message.bad ? error_set(e, -EINVAL, "the message cannot be read: its bytes are damaged") : rc;
}

/* ---- JSON ---- */

/* Converts, for example, profile_typeID to profileTypeID. */
static void camel_case(const char *name, char *out, size_t size)
{
    size_t n = 0;
    for (; *name && n + 1 < size; name++) {
        bool raise = *name == '_' && name[1] >= 'a' && name[1] <= 'z';
        if (raise)
            name++;
        out[n++] = raise ? (char)(*name - 'a' + 'A') : *name;
    }
    out[n] = 0;
}

static json_t *find(const json_t *object, const char *name)
{
    char camel[64];
    camel_case(name, camel, sizeof camel);
    json_t *value = json_object_get(object, camel);
    value = value ? value : json_object_get(object, name);
    return json_is_null(value) ? NULL : value;
}

static int bad_value(const struct asked_field *f, const char *wanted, struct error *e)
{
    return error_set(e, -EINVAL, "%s: not %s", f->name, wanted);
}

static int read_texts(struct asked_texts *t, const struct asked_field *f, json_t *value, struct error *e)
{
    size_t n = json_is_array(value) ? json_array_size(value) : 1;
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        const json_t *one = json_is_array(value) ? json_array_get(value, i) : value;
        rc = json_is_string(one) ? asked_add(t, json_string_value(one), json_string_length(one)) : bad_value(f, "a text", e);
    }
    return rc;
}

/* Reads a whole number, or a word of an enumeration. An unknown word counts as absent. */
static int read_int(int64_t *v, const struct asked_field *f, const json_t *value, struct error *e)
{
    double number = json_number_value(value);
    bool good = json_is_integer(value) || (json_is_real(value) && number == trunc(number) && fabs(number) < 0x1p63);
    if (good) {
        *v = json_is_integer(value) ? json_integer_value(value) : (int64_t)number;
        return 0;
    }
    if (!json_is_string(value))
        return bad_value(f, "a whole number", e);
    for (int64_t i = 0; f->values && f->values[i]; i++)
        if (!strcmp(f->values[i], json_string_value(value)))
            *v = i;
    return f->values || !number_parse_signed(json_string_value(value), INT64_MIN, INT64_MAX, v) ? 0 : bad_value(f, "a whole number", e);
}

static int read_double(double *v, const struct asked_field *f, const json_t *value, struct error *e)
{
    bool text = json_is_string(value);
    bool good = text ? !number_parse_real(json_string_value(value), -DBL_MAX, DBL_MAX, v) : json_is_number(value);
    if (good && !text)
        *v = json_number_value(value);
    return good && isfinite(*v) ? 0 : bad_value(f, "a number", e);
}

static int read_locations(struct asked *a, const struct asked_field *f, const json_t *value, struct error *e)
{
    const json_t *list = find(value, "call_site");
    int rc = 0;
    for (size_t i = 0; !rc && i < json_array_size(list); i++) {
        const json_t *name = find(json_array_get(list, i), "name");
        rc = json_is_string(name) ? asked_add(&a->call_site, json_string_value(name), json_string_length(name))
                                  : bad_value(f, "a list of names", e);
    }
    return rc;
}

static int read_object(struct asked *a, const struct asked_field *fields, const json_t *object, struct error *e)
{
    int rc = 0;
    for (const struct asked_field *f = fields; !rc && f->name; f++) {
        json_t *value = find(object, f->name);
        if (!value)
            continue;
        switch (f->kind) {
        case ASKED_TEXT:
            rc = read_texts(member(a, f), f, value, e);
            break;
        case ASKED_INT:
            rc = read_int(member(a, f), f, value, e);
            break;
        case ASKED_DOUBLE:
            rc = read_double(member(a, f), f, value, e);
            break;
        case ASKED_CALL_SITE:
            rc = read_locations(a, f, value, e);
            break;
        case ASKED_LEFT:
        case ASKED_RIGHT:
            rc = !side(a, f) ? -ENOMEM : read_object(side(a, f), asked_stacktraces, value, e);
        }
    }
    return rc;
}

static int read_json(struct asked *a, const struct asked_field *fields, const uint8_t *bytes, size_t size, struct error *e)
{
    json_error_t problem;
    json_t *json = json_loadb((const char *)bytes, size, 0, &problem);
    int rc = json_is_object(json) ? read_object(a, fields, json, e) : error_set(e, -EINVAL, "the message is not a JSON object");
    json_decref(json);
    return rc;
}

int asked_read(struct asked *a, const struct asked_field *fields, bool json, const uint8_t *bytes, size_t size, struct error *e)
{
    *a = (struct asked){0};
    int rc = json ? read_json(a, fields, bytes, size, e) : read_message(a, fields, pb_init(bytes, size), 0, e);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

/* ---- the values ---- */

const char *asked_last(const struct asked_texts *t)
{
    return t->count ? t->list[t->count - 1] : "";
}

static void free_texts(struct asked_texts *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        free(t->list[i]);
    free(t->list);
}

void asked_deinit(struct asked *a)
{
    struct asked_texts *const all[] = {&a->profile_type, &a->selector,  &a->name,        &a->matchers,  &a->label_names,
                                       &a->group_by,     &a->call_site, &a->profile_ids, &a->trace_ids, &a->span_ids};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free_texts(all[i]);
    for (int i = 0; i < 2; i++)
        if (a->sides[i]) {
            asked_deinit(a->sides[i]);
            free(a->sides[i]);
        }
    *a = (struct asked){0};
}
