/* Resolves threads, methods, classes and stack traces, by the JDK's names of their fields. If a recording lacks a field, the value is
 * missing. */
#include "jfr/read/reader.h"

#include "jfr/read/frame_key.h"
#include "jfr/read/input.h"
#include "jfr/read/reader_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t member_int(struct jfr_value v, const char *name)
{
    return (uint64_t)jfr_value_int(jfr_value_member(v, name));
}

static struct jfr_text member_text(struct jfr_value v, const char *name)
{
    return jfr_value_text(jfr_value_member(v, name));
}

bool jfr_thread_of(struct jfr_value thread, struct jfr_thread_info *out)
{
    *out = (struct jfr_thread_info){
        .os_name = member_text(thread, "osName"),
        .java_name = member_text(thread, "javaName"),
        .group = member_text(jfr_value_member(thread, "group"), "name"),
        .os_id = member_int(thread, "osThreadId"),
        .java_id = member_int(thread, "javaThreadId"),
        .is_virtual = member_int(thread, "virtual") != 0,
    };
    return !jfr_value_none(thread);
}

struct jfr_text jfr_thread_name(const struct jfr_thread_info *t, char number[JFR_THREAD_NUMBER])
{
    struct jfr_text name = t->java_name.len ? t->java_name : t->os_name;
    if (name.len || !(t->java_id || t->os_id))
        return name;
    return (struct jfr_text){number, (size_t)snprintf(number, JFR_THREAD_NUMBER, "[%" PRIu64 "]", t->java_id ? t->java_id : t->os_id)};
}

static const struct jfr_method_fields *method_fields(struct jfr_value method)
{
    struct jfr_method_fields *m = &method.chunk->method;
    const struct jfr_type *type = method.type;
    if (m->type != type) {
        *m = (struct jfr_method_fields){
            .type = type,
            .parts = {[JFR_METHOD_CLASS] = jfr_type_field(type, "type"),
                      [JFR_METHOD_NAME] = jfr_type_field(type, "name"),
                      [JFR_METHOD_DESCRIPTOR] = jfr_type_field(type, "descriptor")},
            .hidden = jfr_type_field(type, "hidden"),
        };
        const struct jfr_field *class = m->parts[JFR_METHOD_CLASS];
        m->class_name = class ? jfr_type_field(class->type, "name") : NULL;
    }
    return m;
}

/* Returns the text as the file has it: with slashes in a class's name. */
static struct jfr_text stored_text(const struct jfr_method_fields *m, enum jfr_method_part part, struct jfr_value v)
{
    return jfr_value_text(part == JFR_METHOD_CLASS ? jfr_value_field(v, m->class_name) : v);
}

static struct jfr_text part_text(const struct jfr_method_fields *m, enum jfr_method_part part, struct jfr_value v)
{
    struct jfr_text text = stored_text(m, part, v);
    return part == JFR_METHOD_CLASS && text.len ? jfr_text_dotted(v.chunk, text) : text;
}

bool jfr_method_of(struct jfr_value method, struct jfr_method_info *out)
{
    *out = (struct jfr_method_info){.class_name = {"", 0}, .name = {"", 0}, .descriptor = {"", 0}};
    if (jfr_value_none(method))
        return false;
    struct jfr_text *texts[] = {
        [JFR_METHOD_CLASS] = &out->class_name, [JFR_METHOD_NAME] = &out->name, [JFR_METHOD_DESCRIPTOR] = &out->descriptor};
    const struct jfr_method_fields *m = method_fields(method);
    for (int part = 0; part < JFR_METHOD_PARTS; part++)
        *texts[part] = part_text(m, part, jfr_value_field(method, m->parts[part]));
    out->hidden = jfr_value_int(jfr_value_field(method, m->hidden)) != 0;
    return true;
}

struct jfr_text jfr_class_of(struct jfr_value class)
{
    if (jfr_value_none(class))
        return (struct jfr_text){"", 0};
    struct jfr_text name = jfr_value_text(jfr_value_field(class, jfr_type_field(class.type, "name")));
    return name.len ? jfr_text_dotted(class.chunk, name) : name;
}

static bool is_key(const struct jfr_field *f)
{
    return f && f->pooled && !f->array;
}

bool jfr_method_keys(struct jfr_value method, uint64_t keys[JFR_METHOD_PARTS])
{
    if (jfr_value_none(method) || method.array)
        return false;
    const struct jfr_method_fields *m = method_fields(method);
    const uint8_t *at = method.at;
    uint32_t next = 0; /* the field at `at`; fields are mostly in the order of the parts */
    for (int part = 0; part < JFR_METHOD_PARTS; part++) {
        const struct jfr_field *f = m->parts[part];
        if (!is_key(f))
            return false;
        if (f->index < next) {
            at = method.at;
            next = 0;
        }
        for (; next < f->index; next++)
            at = jfr_skip_field(&method.type->fields[next], at, method.end);
        if (!input_varint(at, method.end, &keys[part]))
            keys[part] = 0;
    }
    return true;
}

struct jfr_text jfr_method_text(struct jfr_value method, enum jfr_method_part part, uint64_t key)
{
    const struct jfr_method_fields *m = method_fields(method);
    return part_text(m, part, jfr_pool_get(method.chunk, m->parts[part]->type, key));
}

static bool is_dotted(struct jfr_text stored, struct jfr_text wanted)
{
    size_t i = 0;
    while (i < stored.len && wanted.bytes[i] == (stored.bytes[i] == '/' ? '.' : stored.bytes[i]))
        i++;
    return i == stored.len;
}

bool jfr_method_text_is(struct jfr_value method, enum jfr_method_part part, uint64_t key, struct jfr_text wanted)
{
    const struct jfr_method_fields *m = method_fields(method);
    struct jfr_text stored = stored_text(m, part, jfr_pool_get(method.chunk, m->parts[part]->type, key));
    if (stored.len != wanted.len)
        return false;
    return part == JFR_METHOD_CLASS ? is_dotted(stored, wanted) : !memcmp(stored.bytes, wanted.bytes, wanted.len);
}

enum { RAW_FIELDS_MAX = 8, USUAL_FIELDS = 4 /* the number of fields of a frame that the JDK writes: there is special code for it */ };

static bool is_int(const struct jfr_field *f)
{
    return !f || (!f->pooled && !f->array && f->type->kind == JFR_KIND_INT);
}

static bool is_raw(const struct jfr_stack *s)
{
    const struct jfr_type *frame = s->frames.next.type;
    return frame && !s->frames.next.pooled && frame->varints == frame->field_count && frame->field_count <= RAW_FIELDS_MAX &&
           is_key(s->method) && is_key(s->frame_type) && is_int(s->line) && is_int(s->bci);
}

static const struct jfr_trace_fields *trace_fields(struct jfr_value trace)
{
    struct jfr_trace_fields *t = &trace.chunk->trace;
    const struct jfr_type *type = trace.type;
    if (t->type == type)
        return t;
    *t = (struct jfr_trace_fields){
        .type = type,
        .frames = jfr_type_field(type, "frames"),
        .truncated = jfr_type_field(type, "truncated"),
    };
    const struct jfr_type *frame = t->frames ? t->frames->type : NULL;
    t->method = jfr_type_field(frame, "method");
    t->line = jfr_type_field(frame, "lineNumber");
    t->bci = jfr_type_field(frame, "bytecodeIndex");
    t->frame_type = jfr_type_field(frame, "type");
    return t;
}

bool jfr_stack_of(struct jfr_value trace, struct jfr_stack *out)
{
    *out = (struct jfr_stack){0};
    if (jfr_value_none(trace))
        return false;
    const struct jfr_trace_fields *t = trace_fields(trace);
    *out = (struct jfr_stack){
        .frames = jfr_array_of(jfr_value_field(trace, t->frames)),
        .truncated = jfr_value_int(jfr_value_field(trace, t->truncated)) != 0,
        .method = t->method,
        .line = t->line,
        .bci = t->bci,
        .frame_type = t->frame_type,
    };
    out->raw = is_raw(out);
    if (out->raw && trace.exact && t->frames->index + 1 == trace.type->field_count) {
        out->end = trace.end;
        out->frames.next.end = trace.chunk->end; /* far enough to read several bytes at once */
    }
    return true;
}

static inline void take_words(const struct jfr_stack *s, const uint64_t words[RAW_FIELDS_MAX], struct jfr_raw_frame *out)
{
    out->method = words[s->method->index];
    out->type = words[s->frame_type->index];
    out->line = s->line ? (int32_t)words[s->line->index] : 0;
    out->bci = s->bci ? (int32_t)words[s->bci->index] : 0;
}

bool jfr_stack_next_raw(struct jfr_stack *s, struct jfr_raw_frame *out)
{
    uint64_t words[RAW_FIELDS_MAX];
    struct jfr_value *v = &s->frames.next;
    const uint8_t *at = s->frames.left ? v->at : NULL;
    uint32_t n = v->type->field_count;
    for (uint32_t i = 0; i < n; i++)
        at = input_varint(at, v->end, &words[i]);
    if (!at) {
        s->frames.left = 0;
        return false;
    }
    v->at = at;
    s->frames.left--;
    take_words(s, words, out);
    return true;
}

/* ---- frames as keys ---- */

static inline __attribute__((always_inline)) uint32_t keys_of(const uint8_t **at, const uint8_t *end, uint32_t n,
                                                              struct jfr_frame_key *keys, uint32_t max)
{
    const uint8_t *next = *at;
    uint32_t count = 0;
    for (; count < max && end - next >= FRAME_KEY_BYTES && frame_key(next, n, &keys[count]); count++)
        next += keys[count].size;
    *at = next;
    return count;
}

uint32_t jfr_stack_next_keys(struct jfr_stack *s, struct jfr_frame_key *keys, uint32_t max)
{
    struct jfr_value *v = &s->frames.next;
    uint32_t n = v->type->field_count, left = s->frames.left < max ? (uint32_t)s->frames.left : max;
    uint32_t count = n == USUAL_FIELDS ? keys_of(&v->at, v->end, USUAL_FIELDS, keys, left) : keys_of(&v->at, v->end, n, keys, left);
    s->frames.left -= count;
    return count;
}

void jfr_stack_decode(const struct jfr_stack *s, const struct jfr_frame_key *key, struct jfr_raw_frame *out)
{
    uint64_t words[RAW_FIELDS_MAX];
    const uint8_t *at = (const uint8_t *)key->bytes, *end = at + sizeof key->bytes;
    for (uint32_t i = 0; i < s->frames.next.type->field_count; i++)
        at = input_varint(at, end, &words[i]);
    take_words(s, words, out);
}

struct jfr_value jfr_stack_method(const struct jfr_stack *s, uint64_t method)
{
    return jfr_pool_get(s->frames.next.chunk, s->method->type, method);
}

struct jfr_text jfr_stack_type(const struct jfr_stack *s, uint64_t type)
{
    return jfr_value_text(jfr_pool_get(s->frames.next.chunk, s->frame_type->type, type));
}

bool jfr_stack_next(struct jfr_stack *s, struct jfr_frame_info *out)
{
    struct jfr_value frame;
    if (!jfr_array_next(&s->frames, &frame))
        return false;
    *out = (struct jfr_frame_info){
        .method_key = jfr_value_key(frame, s->method),
        .method = jfr_value_field(frame, s->method),
        .line = (int32_t)jfr_value_int(jfr_value_field(frame, s->line)),
        .bci = (int32_t)jfr_value_int(jfr_value_field(frame, s->bci)),
        .type = jfr_value_text(jfr_value_field(frame, s->frame_type)),
    };
    return true;
}

bool jfr_stack_leaf(struct jfr_value trace, struct jfr_frame_info *out)
{
    struct jfr_stack s;
    return jfr_stack_of(trace, &s) && jfr_stack_next(&s, out);
}
