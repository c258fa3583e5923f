/* Computes the least size of a value, the depth of its structs, and which types cannot be decoded. Types are settled from the leaves up,
 * one level of nesting per round. A type that is left after JFR_DEPTH_MAX rounds contains itself or an undeclared type, or is nested too
 * deeply, and is marked as broken. So decoding needs no protection against endless recursion. */
#include "jfr/read/reader_internal.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS_FEW = 32 };

static uint64_t primitive_size(enum jfr_kind kind)
{
    return kind == JFR_KIND_FLOAT ? 4 : kind == JFR_KIND_DOUBLE ? 8 : 1;
}

static uint64_t field_size(const struct jfr_field *f)
{
    return f->array || f->pooled ? 1 : f->type->min_size; /* a count or a key has at least one byte */
}

static bool settled(const struct jfr_type *t)
{
    return !t->broken;
}

/* Settles a struct. Returns true if all fields that it contains directly are settled, including the elements of arrays. */
static bool try_settle(struct jfr_type *t)
{
    uint64_t size = 0;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < t->field_count; i++) {
        const struct jfr_field *f = &t->fields[i];
        if (!f->pooled && !settled(f->type))
            return false;
        if (__builtin_add_overflow(size, field_size(f), &size))
            size = UINT64_MAX;
        if (!f->pooled && f->type->depth > depth)
            depth = f->type->depth;
    }
    if (depth >= JFR_DEPTH_MAX)
        return false;
    t->min_size = size;
    t->depth = depth + 1;
    t->broken = false;
    return true;
}

/* Removes fields of empty structs, which take no bytes. Without them every step of decoding consumes input. */
static void drop_empty_fields(struct jfr_type *t)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->field_count; i++) {
        const struct jfr_field *f = &t->fields[i];
        bool empty = !f->pooled && !f->array && settled(f->type) && !f->type->min_size;
        if (empty)
            continue;
        t->fields[kept] = *f;
        t->fields[kept].index = kept;
        kept++;
    }
    t->field_count = kept;
}

/* Returns how many compressed integers the field consists of, or 0 if it contains anything else. */
static uint32_t field_varints(const struct jfr_field *f)
{
    if (f->array)
        return 0;
    if (f->pooled)
        return 1;
    switch (f->type->kind) {
    case JFR_KIND_CHAR:
    case JFR_KIND_SHORT:
    case JFR_KIND_INT:
    case JFR_KIND_LONG:
        return 1;
    case JFR_KIND_STRUCT:
        return f->type->varints;
    default:
        return 0;
    }
}

/* Counts the integers of a struct. As for the sizes, a struct is counted when the structs that it contains are known. */
static bool count_varints(struct jfr_type *t)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->field_count; i++) {
        uint32_t n = field_varints(&t->fields[i]);
        if (!n || sum > UINT16_MAX)
            return false;
        sum += n;
    }
    bool news = sum && !t->varints;
    t->varints = sum;
    return news;
}

static void find_flat_types(struct jfr_types *types)
{
    bool progress = true;
    for (int round = 0; progress && round <= JFR_DEPTH_MAX; round++) {
        progress = false;
        for (uint32_t i = 0; i < types->count; i++)
            if (types->list[i].kind == JFR_KIND_STRUCT && !types->list[i].broken && !types->list[i].varints)
                progress |= count_varints(&types->list[i]);
    }
}

static uint32_t field_fixed(const struct jfr_field *f)
{
    if (f->array || f->pooled)
        return 0;
    switch (f->type->kind) {
    case JFR_KIND_BOOLEAN:
    case JFR_KIND_BYTE:
    case JFR_KIND_FLOAT:
    case JFR_KIND_DOUBLE:
        return (uint32_t)primitive_size(f->type->kind);
    default:
        return 0;
    }
}

static void find_runs(struct jfr_types *types)
{
    for (uint32_t i = 0; i < types->count; i++) {
        uint32_t run = 0;
        for (uint32_t k = types->list[i].field_count; k--;) {
            struct jfr_field *f = &types->list[i].fields[k];
            f->varints = run = field_varints(f) == 1 ? run + 1 : 0;
            f->fixed = field_fixed(f);
        }
    }
}

static bool holds_texts(const struct jfr_type *t)
{
    for (uint32_t i = 0; i < t->field_count; i++)
        if (!t->fields[i].pooled && t->fields[i].type->texts)
            return true;
    return t->kind == JFR_KIND_STRING;
}

static void find_texts(struct jfr_types *types)
{
    bool progress = true;
    for (int round = 0; progress && round <= JFR_DEPTH_MAX + 1; round++) {
        progress = false;
        for (uint32_t i = 0; i < types->count; i++) {
            struct jfr_type *t = &types->list[i];
            bool before = t->texts;
            t->texts = before || (!t->broken && holds_texts(t));
            progress |= t->texts != before;
        }
    }
}

/* Compares fields. Equal names are mostly the same text. */
static int by_name(const void *left, const void *right)
{
    const struct jfr_field *a = *(const struct jfr_field *const *)left, *b = *(const struct jfr_field *const *)right;
    int order = a->name == b->name ? 0 : strncmp(a->name, b->name, JFR_NAME_COMPARED);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Sorts the fields of types that have many. No recorder writes so many fields, but a file may have them, together with events in which each
 * field is looked up. */
static void sort_fields(struct jfr_types *types)
{
    size_t many = 0;
    for (uint32_t i = 0; i < types->count; i++)
        many += types->list[i].field_count > FIELDS_FEW ? types->list[i].field_count : 0;
    const struct jfr_field **next = types->by_name = many ? malloc(many * sizeof *next) : NULL;
    for (uint32_t i = 0; next && i < types->count; i++) {
        struct jfr_type *t = &types->list[i];
        if (t->field_count <= FIELDS_FEW)
            continue;
        for (uint32_t k = 0; k < t->field_count; k++)
            next[k] = &t->fields[k];
        qsort(next, t->field_count, sizeof *next, by_name);
        t->by_name = next;
        next += t->field_count;
    }
}

void jfr_layout(struct jfr_types *types)
{
    for (uint32_t i = 0; i < types->count; i++) {
        struct jfr_type *t = &types->list[i];
        t->broken = t->kind == JFR_KIND_STRUCT;
        t->min_size = t->broken ? 0 : primitive_size(t->kind);
    }
    bool progress = true;
    for (int round = 0; progress && round <= JFR_DEPTH_MAX; round++) {
        progress = false;
        for (uint32_t i = 0; i < types->count; i++)
            if (types->list[i].broken && try_settle(&types->list[i]))
                progress = true;
    }
    for (uint32_t i = 0; i < types->count; i++)
        drop_empty_fields(&types->list[i]);
    find_flat_types(types);
    find_runs(types);
    find_texts(types);
    sort_fields(types);
}
