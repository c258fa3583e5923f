/* How many bytes a value takes at least, how deep its structs nest, and which types cannot be decoded. Types are settled
 * from the leaves up, one level of nesting per round; what is left after JFR_DEPTH_MAX rounds contains itself, or a type
 * that is not declared, or nests too deep, and is called broken. So decoding needs no guard against endless descent. */
#include "jfr/reader_internal.h"

static uint64_t primitive_size(enum jfr_kind kind)
{
    return kind == JFR_KIND_FLOAT ? 4 : kind == JFR_KIND_DOUBLE ? 8 : 1;
}

static uint64_t field_size(const struct jfr_field *f)
{
    return f->array || f->pooled ? 1 : f->type->min_size; /* a count or a key: one byte at least */
}

static bool settled(const struct jfr_type *t)
{
    return !t->broken;
}

/* True when all that the struct holds in place is settled. Arrays count: they hold their elements in place. */
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

/* Fields of empty structs take no bytes and say nothing: without them every step of decoding consumes input. */
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

void jfr_layout(struct jfr_chunk *c)
{
    for (uint32_t i = 0; i < c->type_count; i++) {
        struct jfr_type *t = &c->types[i];
        t->broken = t->kind == JFR_KIND_STRUCT;
        t->min_size = t->broken ? 0 : primitive_size(t->kind);
    }
    bool progress = true;
    for (int round = 0; progress && round <= JFR_DEPTH_MAX; round++) {
        progress = false;
        for (uint32_t i = 0; i < c->type_count; i++)
            if (c->types[i].broken && try_settle(&c->types[i]))
                progress = true;
    }
    for (uint32_t i = 0; i < c->type_count; i++)
        drop_empty_fields(&c->types[i]);
}
