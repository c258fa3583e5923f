#include "jfr/read/reader.h"

#include "jfr/read/input.h"
#include "jfr/read/reader_internal.h"
#include "jfr/read/varints.h"

#include <math.h>
#include <string.h>

enum { WRAPPERS_MAX = 4 }; /* structs around a string */

/* ---- skipping ---- */

/* Skips a struct. Every step consumes input (see layout.c), so counts and nesting need no other limit. */
static const uint8_t *skip_struct(const struct jfr_type *type, const uint8_t *at, const uint8_t *end)
{
    if (type->broken)
        return NULL;
    if (type->varints)
        return varints_skip(at, end, type->varints);
    for (uint32_t i = 0; i < type->field_count && at;) {
        const struct jfr_field *f = &type->fields[i];
        at = f->varints ? varints_skip(at, end, f->varints) : jfr_skip_field(f, at, end);
        i += f->varints ? f->varints : 1;
    }
    return at;
}

const uint8_t *jfr_skip_type(const struct jfr_type *type, const uint8_t *at, const uint8_t *end)
{
    if (!at)
        return NULL;
    switch (type->kind) {
    case JFR_KIND_BOOLEAN:
    case JFR_KIND_BYTE:
        return input_skip(at, end, 1);
    case JFR_KIND_CHAR:
    case JFR_KIND_SHORT:
    case JFR_KIND_INT:
    case JFR_KIND_LONG:
        return input_skip_varint(at, end);
    case JFR_KIND_FLOAT:
        return input_skip(at, end, 4);
    case JFR_KIND_DOUBLE:
        return input_skip(at, end, 8);
    case JFR_KIND_STRING:
        return jfr_skip_string(at, end);
    case JFR_KIND_STRUCT:
        return skip_struct(type, at, end);
    }
    return NULL;
}

static const uint8_t *skip_element(const struct jfr_type *type, bool pooled, const uint8_t *at, const uint8_t *end)
{
    return pooled ? input_skip_varint(at, end) : jfr_skip_type(type, at, end);
}

static const uint8_t *skip_array(const struct jfr_field *f, const uint8_t *at, const uint8_t *end)
{
    uint64_t count;
    at = input_varint(at, end, &count);
    if (!at || (!f->pooled && f->type->broken))
        return NULL;
    if (!f->pooled && !f->type->min_size)
        return at;
    uint64_t each = f->pooled ? 1 : f->type->varints;
    if (each)
        return count <= (uint64_t)(end - at) ? varints_skip(at, end, count * each) : NULL;
    for (uint64_t i = 0; i < count && at; i++)
        at = skip_element(f->type, f->pooled, at, end);
    return at;
}

const uint8_t *jfr_skip_content(const struct jfr_field *f, const uint8_t *at, const uint8_t *end)
{
    if (!at)
        return NULL;
    return f->array ? skip_array(f, at, end) : skip_element(f->type, f->pooled, at, end);
}

/* ---- values ---- */

struct jfr_value jfr_value_at(struct jfr_chunk *c, const struct jfr_field *f, const uint8_t *at, const uint8_t *end)
{
    struct jfr_value none = {0};
    if (!at || at > end || (at == end && (f->array || f->pooled || f->type->min_size)))
        return none;
    if (f->pooled && !f->array) {
        uint64_t key;
        return input_varint(at, end, &key) ? jfr_pool_get(c, f->type, key) : none;
    }
    if (!f->array && (f->type->broken || (f->type->kind == JFR_KIND_STRING && *at == 0)))
        return none;
    return (struct jfr_value){c, f->type, at, end, f->array, f->pooled, f->is_unsigned};
}

bool jfr_value_none(struct jfr_value v)
{
    return !v.type;
}

static bool scalar(struct jfr_value v)
{
    return v.type && !v.array;
}

static int64_t integer(struct jfr_value v)
{
    uint64_t bits = 0;
    uint8_t byte = 0;
    switch (v.type->kind) {
    case JFR_KIND_BOOLEAN:
    case JFR_KIND_BYTE:
        input_byte(v.at, v.end, &byte);
        return v.type->kind == JFR_KIND_BOOLEAN || v.is_unsigned ? byte : (int8_t)byte;
    case JFR_KIND_CHAR:
        return input_varint(v.at, v.end, &bits) ? (uint16_t)bits : 0;
    case JFR_KIND_SHORT:
        input_varint(v.at, v.end, &bits);
        return v.is_unsigned ? (uint16_t)bits : (int16_t)bits;
    case JFR_KIND_INT:
        input_varint(v.at, v.end, &bits);
        return v.is_unsigned ? (int64_t)(uint32_t)bits : (int32_t)bits;
    default:
        input_varint(v.at, v.end, &bits);
        return (int64_t)bits;
    }
}

static double floating(struct jfr_value v)
{
    if (v.type->kind == JFR_KIND_FLOAT) {
        uint32_t bits = v.end - v.at >= 4 ? (uint32_t)input_be(v.at, 4) : 0;
        float f;
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    }
    uint64_t bits = v.end - v.at >= 8 ? input_be(v.at, 8) : 0;
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static bool is_floating(struct jfr_value v)
{
    return v.type->kind == JFR_KIND_FLOAT || v.type->kind == JFR_KIND_DOUBLE;
}

int64_t jfr_value_int(struct jfr_value v)
{
    if (!scalar(v) || v.type->kind == JFR_KIND_STRUCT || v.type->kind == JFR_KIND_STRING)
        return 0;
    if (!is_floating(v))
        return integer(v);
    double d = floating(v);
    return isnan(d) ? 0 : d >= 0x1p63 ? INT64_MAX : d < -0x1p63 ? INT64_MIN : (int64_t)d;
}

double jfr_value_number(struct jfr_value v)
{
    if (scalar(v) && is_floating(v))
        return floating(v);
    int64_t i = jfr_value_int(v);
    bool wide = scalar(v) && v.is_unsigned && v.type->kind == JFR_KIND_LONG;
    return wide ? (double)(uint64_t)i : (double)i;
}

bool jfr_text_is(struct jfr_text text, const char *wanted)
{
    return text.len == strlen(wanted) && !memcmp(text.bytes, wanted, text.len);
}

struct jfr_text jfr_value_text(struct jfr_value v)
{
    for (int i = 0; i < WRAPPERS_MAX && scalar(v); i++) {
        if (v.type->kind == JFR_KIND_STRING)
            return jfr_text_at(v.chunk, v.at, v.end);
        if (v.type->kind != JFR_KIND_STRUCT || v.type->field_count != 1)
            break;
        v = jfr_value_field(v, &v.type->fields[0]);
    }
    return (struct jfr_text){"", 0};
}

/* ---- structs ---- */

static const uint8_t *member_at(struct jfr_value v, const struct jfr_field *f)
{
    const uint8_t *at = v.at;
    if (!f || !scalar(v) || f->index >= v.type->field_count || &v.type->fields[f->index] != f)
        return NULL;
    for (uint32_t i = 0; i < f->index && at; i++)
        at = jfr_skip_field(&v.type->fields[i], at, v.end);
    return at;
}

struct jfr_value jfr_value_field(struct jfr_value v, const struct jfr_field *f)
{
    const uint8_t *at = member_at(v, f);
    return at ? jfr_value_at(v.chunk, f, at, v.end) : (struct jfr_value){0};
}

struct jfr_value jfr_value_member(struct jfr_value v, const char *name)
{
    return scalar(v) ? jfr_value_field(v, jfr_type_field(v.type, name)) : (struct jfr_value){0};
}

uint64_t jfr_value_key(struct jfr_value v, const struct jfr_field *f)
{
    uint64_t key = 0;
    const uint8_t *at = f && f->pooled && !f->array ? member_at(v, f) : NULL;
    return input_varint(at, v.end, &key) ? key : 0;
}

/* ---- arrays ---- */

/* Returns the most elements that an array can have; 0 also if its elements take no bytes and therefore have no content. */
static uint64_t elements_max(const struct jfr_type *type, bool pooled, uint64_t bytes)
{
    uint64_t each = pooled ? 1 : type->min_size;
    return each ? bytes / each : 0;
}

struct jfr_array jfr_array_of(struct jfr_value v)
{
    struct jfr_array a = {0};
    uint64_t count = 0;
    const uint8_t *at = v.array ? input_varint(v.at, v.end, &count) : NULL;
    if (!at || (!v.pooled && v.type->broken))
        return a;
    uint64_t max = elements_max(v.type, v.pooled, (uint64_t)(v.end - at));
    a.left = count < max ? count : max;
    a.next = v;
    a.next.at = at;
    a.next.array = a.next.exact = false;
    return a;
}

bool jfr_array_next(struct jfr_array *a, struct jfr_value *element)
{
    struct jfr_value *v = &a->next;
    const uint8_t *next = a->left ? skip_element(v->type, v->pooled, v->at, v->end) : NULL;
    if (!next) {
        a->left = 0;
        return false;
    }
    struct jfr_field f = {.type = v->type, .pooled = v->pooled, .is_unsigned = v->is_unsigned};
    *element = jfr_value_at(v->chunk, &f, v->at, v->end);
    v->at = next;
    a->left--;
    return true;
}
