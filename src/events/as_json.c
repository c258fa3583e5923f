#include "events/as_json.h"

#include "base/text/utf8.h"
#include "base/time_units.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static void put_value(struct as_json *w, struct jfr_value v, const struct jfr_field *f, int depth);

/* ---- times and spans ---- */

char *as_json_time(char out[40], int64_t epoch_ns)
{
    struct tm utc;
    time_t seconds = (time_t)(epoch_ns / NS_PER_S);
    int64_t rest = epoch_ns % NS_PER_S;
    if (rest < 0) {
        rest += NS_PER_S;
        seconds--;
    }
    gmtime_r(&seconds, &utc);
    size_t n = strftime(out, 40, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out + n, 40 - n, ".%09" PRId64 "Z", rest);
    return out;
}

char *as_json_span(char out[40], int64_t ns)
{
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    snprintf(out, 40, "PT%s%" PRIu64 ".%09" PRIu64 "S", ns < 0 ? "-" : "", size / NS_PER_S, size % NS_PER_S);
    return out;
}

/* Writes a time or a span. The smallest number means none and the largest forever. */
static void put_moment(struct as_json *w, int64_t v, bool is_span, int64_t ns)
{
    char text[40];
    if (v == INT64_MIN || v == INT64_MAX)
        jsonw_null(&w->json);
    else
        jsonw_text(&w->json, is_span ? as_json_span(text, ns) : as_json_time(text, ns));
}

/* ---- values ---- */

static void put_integer(struct as_json *w, struct jfr_value v, const struct jfr_field *f)
{
    int64_t number = jfr_value_int(v), ns;
    if (jfr_moment_ns(v.chunk, f->unit, number, &ns))
        put_moment(w, number, jfr_unit_is_span(f->unit), ns);
    else if (v.is_unsigned)
        jsonw_uint(&w->json, (uint64_t)number);
    else
        jsonw_int(&w->json, number);
}

/* Writes a character. Half of a surrogate pair is not a character. */
static void put_character(struct as_json *w, uint16_t unit)
{
    char text[4];
    jsonw_string(&w->json, text, utf8_put(unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit, text));
}

static void put_array(struct as_json *w, struct jfr_value v, const struct jfr_field *f, uint32_t limit, int depth)
{
    struct jfr_value element;
    uint32_t i = 0;
    jsonw_array(&w->json);
    for (struct jfr_array a = jfr_array_of(v); (!limit || i < limit) && jfr_array_next(&a, &element); i++)
        put_value(w, element, f, depth);
    jsonw_array_end(&w->json);
}

static uint64_t length_of(struct jfr_value array)
{
    return jfr_array_of(array).left;
}

/* Writes a stack. If frames are cut here, it is marked as truncated, too. */
static void put_stack(struct as_json *w, struct jfr_value v, int depth)
{
    for (uint32_t i = 0; i < v.type->field_count; i++) {
        const struct jfr_field *f = &v.type->fields[i];
        struct jfr_value member = jfr_value_field(v, f);
        jsonw_key(&w->json, f->name);
        if (f->array)
            put_array(w, member, f, w->stack_depth, depth);
        else if (!strcmp(f->name, "truncated") && length_of(jfr_value_member(v, "frames")) > w->stack_depth)
            jsonw_bool(&w->json, true);
        else
            put_value(w, member, f, depth);
    }
}

static void put_struct(struct as_json *w, struct jfr_value v, int depth)
{
    if (v.type->simple && v.type->field_count == 1) {
        put_value(w, jfr_value_field(v, &v.type->fields[0]), &v.type->fields[0], depth);
        return;
    }
    jsonw_object(&w->json);
    if (w->stack_depth && !strcmp(v.type->name, "jdk.types.StackTrace"))
        put_stack(w, v, depth);
    else
        for (uint32_t i = 0; i < v.type->field_count; i++) {
            jsonw_key(&w->json, v.type->fields[i].name);
            put_value(w, jfr_value_field(v, &v.type->fields[i]), &v.type->fields[i], depth);
        }
    jsonw_object_end(&w->json);
}

/* Writes a value. The field f says what a number means; for an array's element f is the array's field. */
static void put_value(struct as_json *w, struct jfr_value v, const struct jfr_field *f, int depth)
{
    bool none = jfr_value_none(v), cut = !none && (depth >= AS_JSON_DEPTH_MAX || w->values++ >= AS_JSON_VALUES_MAX);
    w->cut += cut;
    if (none || cut) {
        jsonw_null(&w->json);
        return;
    }
    if (v.array) {
        put_array(w, v, f, 0, depth + 1);
        return;
    }
    switch (v.type->kind) {
    case JFR_KIND_BOOLEAN:
        jsonw_bool(&w->json, jfr_value_int(v) != 0);
        break;
    case JFR_KIND_CHAR:
        put_character(w, (uint16_t)jfr_value_int(v));
        break;
    case JFR_KIND_FLOAT:
        jsonw_exact(&w->json, jfr_value_number(v), true);
        break;
    case JFR_KIND_DOUBLE:
        jsonw_exact(&w->json, jfr_value_number(v), false);
        break;
    case JFR_KIND_STRING: {
        struct jfr_text text = jfr_value_text(v);
        jsonw_string(&w->json, text.bytes, text.len);
        break;
    }
    case JFR_KIND_STRUCT:
        put_struct(w, v, depth + 1);
        break;
    default:
        put_integer(w, v, f);
    }
}

void as_json_event(struct as_json *w, struct jfr_event *event)
{
    w->values = 0;
    jsonw_object(&w->json);
    jsonw_key(&w->json, "type");
    jsonw_text(&w->json, event->type->name);
    jsonw_key(&w->json, "values");
    jsonw_object(&w->json);
    for (uint32_t i = 0; i < event->type->field_count; i++) {
        const struct jfr_field *f = &event->type->fields[i];
        jsonw_key(&w->json, f->name);
        put_value(w, jfr_event_value(event, f), f, 0);
    }
    jsonw_object_end(&w->json);
    jsonw_object_end(&w->json);
}
