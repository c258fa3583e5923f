/* Writes the metadata event: size, 0 (its type), start, duration, id, the strings, and a tree of elements that names them by index:
 *
 *   root > metadata > class* > (annotation* field* > annotation*)
 *        > region
 *
 * An element consists of: name, attribute count, (name, value)*, child count, children. */
#include "jfr/write/metadata_write.h"

#include "base/map.h"
#include "base/strtab.h"
#include "jfr/schema.h"
#include "jfr/schema_table.h"

#include <stdio.h>
#include <string.h>

/* Added to an id so that it differs from all ids of the JDK, which counts from 0. */
#define ID_BASE 0x40000000u

struct tree {
    struct buffer bytes;
    struct strtab strings;
};

struct element {
    size_t children_at; /* the byte for the child count, which is written when it is known */
    uint32_t children;
};

enum { CHILDREN_MAX = 127 };

struct attribute {
    const char *name, *value; /* a pair with a NULL value is left out */
};

static uint32_t string_index(struct tree *t, const char *text)
{
    uint32_t index = strtab_add_text(&t->strings, text);
    if (!index && *text)
        t->bytes.failed = true;
    return index;
}

static struct element element_begin(struct tree *t, struct element *parent, const char *name, const struct attribute *attributes,
                                    size_t count)
{
    size_t present = 0;
    for (size_t i = 0; i < count; i++)
        present += attributes[i].value != NULL;
    buffer_varint(&t->bytes, string_index(t, name));
    buffer_varint(&t->bytes, present);
    for (size_t i = 0; i < count; i++) {
        if (!attributes[i].value)
            continue;
        buffer_varint(&t->bytes, string_index(t, attributes[i].name));
        buffer_varint(&t->bytes, string_index(t, attributes[i].value));
    }
    struct element e = {.children_at = t->bytes.len};
    buffer_u8(&t->bytes, 0);
    if (parent)
        parent->children++;
    return e;
}

static void element_end(struct tree *t, const struct element *e)
{
    if (e->children > CHILDREN_MAX)
        t->bytes.failed = true;
    if (!t->bytes.failed)
        t->bytes.data[e->children_at] = (uint8_t)e->children;
}

static void annotation(struct tree *t, struct element *parent, enum schema_id type, const char *value)
{
    char id[16];
    snprintf(id, sizeof id, "%d", (int)type);
    struct element e = element_begin(t, parent, "annotation", (struct attribute[]){{"class", id}, {"value", value}}, 2);
    element_end(t, &e);
}

/* Writes the value of Category, which is an array: value-0, value-1, ... */
static void category(struct tree *t, struct element *parent, const char *path)
{
    char parts[4][32], names[4][12], id[16];
    struct attribute attributes[5] = {{"class", id}};
    size_t count = 1;
    snprintf(id, sizeof id, "%d", T_CATEGORY);
    for (const char *part = path; part && count < 5; count++) {
        const char *end = strchrnul(part, '/');
        snprintf(parts[count - 1], sizeof parts[0], "%.*s", (int)(end - part), part);
        snprintf(names[count - 1], sizeof names[0], "value-%zu", count - 1);
        attributes[count] = (struct attribute){names[count - 1], parts[count - 1]};
        part = *end ? end + 1 : NULL;
    }
    struct element e = element_begin(t, parent, "annotation", attributes, count);
    element_end(t, &e);
}

static void field(struct tree *t, struct element *class, const struct schema_field *f)
{
    char type[16];
    snprintf(type, sizeof type, "%d", f->type);
    struct element e = element_begin(t, class, "field",
                                     (struct attribute[]){{"name", f->name},
                                                          {"class", type},
                                                          {"constantPool", f->flags & S_POOL ? "true" : NULL},
                                                          {"dimension", f->flags & S_ARRAY ? "1" : NULL}},
                                     4);
    if (f->label)
        annotation(t, &e, T_LABEL, f->label);
    if (f->description)
        annotation(t, &e, T_DESCRIPTION, f->description);
    if (f->unit)
        annotation(t, &e, f->unit_type, f->unit);
    if (f->flags & S_UNSIGNED)
        annotation(t, &e, T_UNSIGNED, NULL);
    if (f->flags & S_ADDRESS)
        annotation(t, &e, T_MEMORY_ADDRESS, NULL);
    element_end(t, &e);
}

static void class(struct tree *t, struct element *metadata, enum schema_id id, const struct schema_type *type)
{
    char number[16];
    snprintf(number, sizeof number, "%d", (int)id);
    struct element e = element_begin(
        t, metadata, "class",
        (struct attribute[]){
            {"name", type->name}, {"superType", type->super}, {"id", number}, {"simpleType", type->flags & S_SIMPLE ? "true" : NULL}},
        4);
    /* Readers format a field by the annotation that is itself marked as a content type. */
    if (id == T_TIMESTAMP || id == T_TIMESPAN || id == T_UNSIGNED || id == T_MEMORY_ADDRESS || id == T_DATA_AMOUNT)
        annotation(t, &e, T_CONTENT_TYPE, NULL);
    if (type->label)
        annotation(t, &e, T_LABEL, type->label);
    if (type->description)
        annotation(t, &e, T_DESCRIPTION, type->description);
    if (type->category)
        category(t, &e, type->category);
    for (const struct schema_field *f = type->fields; f->name; f++)
        field(t, &e, f);
    element_end(t, &e);
}

static bool is_bare(enum schema_id id)
{
    return id == T_BYTE || id == T_LONG || id == T_DOUBLE;
}

static void build(struct tree *t, bool bare, uint32_t without)
{
    struct element root = element_begin(t, NULL, "root", NULL, 0);
    struct element metadata = element_begin(t, &root, "metadata", NULL, 0);
    for (enum schema_id id = SCHEMA_FIRST; id < SCHEMA_END; id++)
        if (bare ? is_bare(id) : !(schema_type(id)->without & without))
            class(t, &metadata, id, schema_type(id));
    class(t, &metadata, T_PADDING, &schema_padding);
    element_end(t, &metadata);
    struct element region = element_begin(t, &root, "region", (struct attribute[]){{"locale", "en_US"}, {"gmtOffset", "0"}}, 2);
    element_end(t, &region);
    element_end(t, &root);
}

static void put_strings(struct buffer *b, const struct strtab *strings)
{
    buffer_varint(b, strings->count);
    for (uint32_t i = 0; i < strings->count; i++) {
        buffer_u8(b, 3); /* UTF-8 */
        buffer_varint(b, strtab_len(strings, i));
        buffer_put(b, strtab_text(strings, i), strtab_len(strings, i));
    }
}

/* Computes the id from the content. If metadata in the next chunk has the same id, the JDK's reader assumes that it is the same without
 * reading it, even if another program wrote it. */
static uint64_t id_of(const struct tree *t)
{
    uint64_t hash = hash_bytes(t->bytes.data, t->bytes.len);
    for (uint32_t i = 0; i < t->strings.count; i++)
        hash = hash_mix(hash ^ hash_bytes(strtab_text(&t->strings, i), strtab_len(&t->strings, i)));
    return ID_BASE | (hash & (ID_BASE - 1));
}

static void write(struct buffer *b, uint64_t ticks, bool bare, uint32_t without)
{
    struct tree t;
    buffer_init(&t.bytes, 1 << 20);
    if (strtab_init(&t.strings)) {
        b->failed = true;
        return;
    }
    build(&t, bare, without);
    size_t start = b->len;
    buffer_be32(b, 0);
    buffer_varint(b, 0);
    buffer_varint(b, ticks);
    buffer_varint(b, 0);
    buffer_varint(b, id_of(&t));
    put_strings(b, &t.strings);
    buffer_put(b, t.bytes.data, t.bytes.len);
    if (t.bytes.failed)
        b->failed = true;
    buffer_patch_varint4(b, start, (uint32_t)(b->len - start));
    strtab_deinit(&t.strings);
    buffer_deinit(&t.bytes);
}

void jfr_metadata_write(struct buffer *b, uint64_t ticks, uint32_t without)
{
    write(b, ticks, false, without);
}

void jfr_metadata_write_bare(struct buffer *b)
{
    write(b, 0, true, 0);
}
