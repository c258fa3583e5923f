/* Reads types from the metadata event. It consists of size, 0 (its type), start, duration, id, strings, and a tree of elements. Each
 * element has a name, an attribute count, (name, value)*, a child count, and children. All names and values are indexes of strings. Only
 * root > metadata > class > field and the annotations of the last two are used. */
#include "base/array.h"
#include "base/text/number.h"
#include "jfr/read/input.h"
#include "jfr/read/reader_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES_MAX = 32, NESTING_MAX = 16, ON_CLASS = -1 };

static const struct jfr_type undeclared = {.name = "", .super = "", .label = "", .description = "", .category = "", .broken = true};

struct raw_field {
    struct jfr_field field;
    uint64_t type_id;
    uint32_t owner; /* index of its type */
};

struct annotation {
    uint64_t type_id;
    const char *value;
    uint32_t owner; /* index of the type */
    int64_t field;  /* index in fields, or ON_CLASS */
};

struct parse {
    struct jfr_chunk *chunk;
    struct jfr_types *types;
    const uint8_t *at, *end; /* at is NULL after damage */
    const char **strings;
    uint64_t string_count;
    struct raw_field *fields;
    uint32_t field_count, field_cap;
    struct annotation *annotations;
    uint32_t annotation_count, annotation_cap;
    uint32_t class; /* the present class and field */
    int64_t field;
};

struct element {
    const char *name;
    struct {
        const char *name, *value;
    } attributes[ATTRIBUTES_MAX];
    uint32_t attribute_count;
};

static uint64_t number(struct parse *p)
{
    uint64_t v = 0;
    p->at = input_varint(p->at, p->end, &v);
    return v;
}

static const char *string(struct parse *p)
{
    uint64_t i = number(p);
    if (p->at && i < p->string_count)
        return p->strings[i];
    p->at = NULL;
    return "";
}

static int read_strings(struct parse *p)
{
    uint64_t count = number(p);
    if (!p->at || count > (uint64_t)(p->end - p->at))
        return -EINVAL;
    p->strings = calloc(count + 1, sizeof *p->strings);
    if (!p->strings)
        return -ENOMEM;
    p->string_count = count;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *next = jfr_skip_string(p->at, p->end);
        if (!next)
            return -EINVAL;
        struct jfr_text text = jfr_text_at(p->chunk, p->at, p->end);
        uint32_t id = strtab_add(&p->types->texts, text.bytes, text.len);
        if (text.len && !id)
            return -ENOMEM;
        p->strings[i] = strtab_text(&p->types->texts, id);
        p->at = next;
    }
    return 0;
}

/* ---- elements ---- */

static const char *attribute(const struct element *e, const char *name)
{
    for (uint32_t i = 0; i < e->attribute_count; i++)
        if (!strcmp(e->attributes[i].name, name))
            return e->attributes[i].value;
    return NULL;
}

static const char *attribute_or_empty(const struct element *e, const char *name)
{
    const char *value = attribute(e, name);
    return value ? value : "";
}

static uint64_t id_attribute(const struct element *e, const char *name)
{
    return number_or_zero(attribute(e, name));
}

static enum jfr_kind kind_of(const char *name)
{
    static const struct {
        const char *name;
        enum jfr_kind kind;
    } kinds[] = {{"boolean", JFR_KIND_BOOLEAN}, {"byte", JFR_KIND_BYTE},     {"char", JFR_KIND_CHAR},
                 {"short", JFR_KIND_SHORT},     {"int", JFR_KIND_INT},       {"long", JFR_KIND_LONG},
                 {"float", JFR_KIND_FLOAT},     {"double", JFR_KIND_DOUBLE}, {"java.lang.String", JFR_KIND_STRING}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(kinds[i].name, name))
            return kinds[i].kind;
    return JFR_KIND_STRUCT;
}

static int add_class(struct parse *p, const struct element *e)
{
    struct jfr_types *t = p->types;
    if (t->count == JFR_TYPES_MAX)
        return -EINVAL;
    if (ARRAY_GROW(t->list, t->cap, t->count))
        return -ENOMEM;
    const char *name = attribute_or_empty(e, "name");
    bool added;
    uint64_t id = id_attribute(e, "id");
    uint32_t *index = map_add(&t->by_id, id ^ t->seed, &added);
    if (!index)
        return -ENOMEM;
    if (added)
        *index = t->count;
    if (added && id < JFR_SMALL_IDS)
        t->by_small_id[id] = (uint16_t)(t->count + 1);
    p->class = t->count;
    t->list[t->count++] = (struct jfr_type){.id = id,
                                            .name = name,
                                            .super = attribute_or_empty(e, "superType"),
                                            .label = "",
                                            .description = "",
                                            .category = "",
                                            .kind = kind_of(name),
                                            .simple = !strcmp(attribute_or_empty(e, "simpleType"), "true"),
                                            .index = p->class};
    return 0;
}

static int add_field(struct parse *p, const struct element *e)
{
    if (ARRAY_GROW(p->fields, p->field_cap, p->field_count))
        return -ENOMEM;
    const char *dimension = attribute(e, "dimension");
    p->field = p->field_count;
    p->fields[p->field_count++] = (struct raw_field){.field = {.name = attribute_or_empty(e, "name"),
                                                               .label = "",
                                                               .description = "",
                                                               .array = dimension && strcmp(dimension, "0"),
                                                               .pooled = !strcmp(attribute_or_empty(e, "constantPool"), "true")},
                                                     .type_id = id_attribute(e, "class"),
                                                     .owner = p->class};
    return 0;
}

/* Returns the annotation's value. An array's elements (value-0, value-1, ...) are joined by '/'. */
static const char *annotation_value(struct parse *p, const struct element *e)
{
    const char *value = attribute(e, "value");
    if (value)
        return value;
    struct buffer *b = &p->chunk->scratch;
    buffer_reset(b);
    for (uint32_t i = 0; i < e->attribute_count; i++) {
        if (strncmp(e->attributes[i].name, "value-", 6))
            continue;
        if (b->len)
            buffer_u8(b, '/');
        buffer_text(b, e->attributes[i].value);
    }
    return strtab_text(&p->types->texts, strtab_add(&p->types->texts, (const char *)b->data, b->len));
}

static int add_annotation(struct parse *p, const struct element *e)
{
    if (ARRAY_GROW(p->annotations, p->annotation_cap, p->annotation_count))
        return -ENOMEM;
    p->annotations[p->annotation_count++] = (struct annotation){id_attribute(e, "class"), annotation_value(p, e), p->class, p->field};
    return 0;
}

static void read_element(struct parse *p, struct element *e)
{
    e->name = string(p);
    e->attribute_count = 0;
    uint64_t attributes = number(p);
    for (uint64_t i = 0; i < attributes && p->at; i++) {
        const char *name = string(p), *value = string(p);
        if (e->attribute_count == ATTRIBUTES_MAX)
            continue;
        e->attributes[e->attribute_count].name = name;
        e->attributes[e->attribute_count++].value = value;
    }
}

enum place { IN_NOTHING, IN_ROOT, IN_METADATA, IN_CLASS, IN_FIELD, ELSEWHERE };

/* Handles an element. Returns the place of its children. */
static enum place enter(struct parse *p, enum place parent, const struct element *e, int *rc)
{
    *rc = 0;
    if (parent == IN_NOTHING && !strcmp(e->name, "root"))
        return IN_ROOT;
    if (parent == IN_ROOT && !strcmp(e->name, "metadata"))
        return IN_METADATA;
    if (parent == IN_METADATA && !strcmp(e->name, "class")) {
        p->field = ON_CLASS;
        *rc = add_class(p, e);
        return IN_CLASS;
    }
    if (parent == IN_CLASS && !strcmp(e->name, "field")) {
        *rc = add_field(p, e);
        return IN_FIELD;
    }
    if ((parent == IN_CLASS || parent == IN_FIELD) && !strcmp(e->name, "annotation")) {
        if (parent == IN_CLASS)
            p->field = ON_CLASS;
        *rc = add_annotation(p, e);
    }
    return ELSEWHERE;
}

static int read_tree(struct parse *p, enum place parent, int nesting)
{
    struct element e;
    int rc;
    if (nesting > NESTING_MAX)
        return -EINVAL;
    read_element(p, &e);
    uint64_t children = number(p);
    if (!p->at)
        return -EINVAL;
    enum place here = enter(p, parent, &e, &rc);
    for (uint64_t i = 0; i < children && !rc; i++)
        rc = read_tree(p, here, nesting + 1);
    return rc;
}

/* ---- linking ---- */

struct jfr_type *jfr_type_by_large_id(const struct jfr_types *t, uint64_t id)
{
    const uint32_t *index = map_find(&t->by_id, id ^ t->seed);
    return index ? &t->list[*index] : NULL;
}

static int link_fields(struct parse *p)
{
    struct jfr_types *t = p->types;
    t->fields = calloc((size_t)p->field_count + 1, sizeof *t->fields);
    if (!t->fields)
        return -ENOMEM;
    if (!t->list) /* then there is no field either, because each has an owner */
        return 0;
    for (uint32_t i = 0; i < p->field_count; i++) {
        struct jfr_type *owner = &t->list[p->fields[i].owner];
        const struct jfr_type *type = jfr_types_by_id(t, p->fields[i].type_id);
        t->fields[i] = p->fields[i].field;
        t->fields[i].type = type ? type : &undeclared;
        if (!owner->field_count)
            owner->fields = &t->fields[i];
        t->fields[i].index = owner->field_count++;
    }
    return 0;
}

static enum jfr_unit unit_of(const char *annotation, const char *value)
{
    static const struct {
        const char *annotation, *value; /* NULL = any value, so the default comes last */
        enum jfr_unit unit;
    } units[] = {
        {"Timestamp", "TICKS", JFR_UNIT_TIMESTAMP_TICKS},
        {"Timestamp", "NANOSECONDS_SINCE_EPOCH", JFR_UNIT_EPOCH_NS},
        {"Timestamp", "SECONDS_SINCE_EPOCH", JFR_UNIT_EPOCH_S},
        {"Timestamp", NULL, JFR_UNIT_EPOCH_MS},
        {"Timespan", "TICKS", JFR_UNIT_SPAN_TICKS},
        {"Timespan", "MICROSECONDS", JFR_UNIT_SPAN_US},
        {"Timespan", "MILLISECONDS", JFR_UNIT_SPAN_MS},
        {"Timespan", "SECONDS", JFR_UNIT_SPAN_S},
        {"Timespan", NULL, JFR_UNIT_SPAN_NS},
        {"DataAmount", "BITS", JFR_UNIT_BITS},
        {"DataAmount", NULL, JFR_UNIT_BYTES},
        {"Frequency", NULL, JFR_UNIT_HERTZ},
        {"Percentage", NULL, JFR_UNIT_PERCENTAGE},
        {"MemoryAddress", NULL, JFR_UNIT_ADDRESS},
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (!strcmp(units[i].annotation, annotation) && (!units[i].value || !strcmp(units[i].value, value)))
            return units[i].unit;
    return JFR_UNIT_NONE;
}

static void annotate_type(struct jfr_type *t, const char *annotation, const char *value)
{
    if (!strcmp(annotation, "Label"))
        t->label = value;
    else if (!strcmp(annotation, "Description"))
        t->description = value;
    else if (!strcmp(annotation, "Category"))
        t->category = value;
}

static void annotate_field(struct jfr_field *f, const char *annotation, const char *value)
{
    if (!strcmp(annotation, "Label"))
        f->label = value;
    else if (!strcmp(annotation, "Description"))
        f->description = value;
    else if (!strcmp(annotation, "Unsigned"))
        f->is_unsigned = true;
    else if (f->unit == JFR_UNIT_NONE)
        f->unit = unit_of(annotation, value);
}

static void link_annotations(struct parse *p)
{
    static const char package[] = "jdk.jfr.";
    for (uint32_t i = 0; i < p->annotation_count; i++) {
        const struct annotation *a = &p->annotations[i];
        const struct jfr_type *type = jfr_types_by_id(p->types, a->type_id);
        if (!type || strncmp(type->name, package, sizeof package - 1))
            continue;
        const char *name = type->name + sizeof package - 1;
        if (a->field == ON_CLASS)
            annotate_type(&p->types->list[a->owner], name, a->value);
        else
            annotate_field(&p->types->fields[a->field], name, a->value);
    }
}

static void link_types(struct jfr_types *types)
{
    for (uint32_t i = 0; i < types->count; i++) {
        struct jfr_type *t = &types->list[i];
        t->event = !strcmp(t->super, "jdk.jfr.Event");
        if (t->kind == JFR_KIND_STRING && !types->string)
            types->string = t;
    }
}

static void find_start_times(struct jfr_types *types)
{
    for (uint32_t i = 0; i < types->count; i++)
        if (types->list[i].event)
            types->list[i].start_time = jfr_type_field(&types->list[i], "startTime");
}

static int parse(struct parse *p)
{
    int rc = read_strings(p);
    if (!rc)
        rc = read_tree(p, IN_NOTHING, 0);
    if (!rc)
        rc = link_fields(p);
    if (rc)
        return rc;
    link_annotations(p);
    link_types(p->types);
    jfr_layout(p->types);
    find_start_times(p->types);
    return 0;
}

/* ---- types that outlive a chunk ---- */

struct jfr_types *jfr_types_new(uint64_t seed)
{
    struct jfr_types *t = calloc(1, sizeof *t);
    if (!t || strtab_init(&t->texts)) {
        free(t);
        return NULL;
    }
    map_init(&t->by_id);
    t->seed = seed;
    return t;
}

void jfr_types_free(struct jfr_types *t)
{
    if (!t)
        return;
    map_deinit(&t->by_id);
    strtab_deinit(&t->texts);
    free(t->list);
    free(t->fields);
    free(t->by_name);
    free(t->source);
    free(t);
}

void jfr_declared_deinit(struct jfr_declared *d)
{
    for (int i = 0; i < JFR_DECLARED_MAX; i++)
        jfr_types_free(d->types[i]);
    *d = (struct jfr_declared){{NULL}};
}

static bool is_declared_by(const struct jfr_types *t, const uint8_t *source, size_t size)
{
    return t && t->source && t->source_size == size && !memcmp(t->source, source, size);
}

/* Takes the types of an earlier chunk, if these bytes declare the same types. The counts of events are reset. */
static bool take_declared(struct jfr_chunk *c, const uint8_t *source, size_t size)
{
    for (int k = 0; c->declared && k < JFR_DECLARED_MAX; k++) {
        struct jfr_types *t = c->declared->types[k];
        if (!is_declared_by(t, source, size))
            continue;
        for (uint32_t i = 0; i < t->count; i++)
            t->list[i].events = t->list[i].event_bytes = 0;
        c->declared->types[k] = NULL;
        c->types = t;
        return true;
    }
    return false;
}

static void keep_source(struct jfr_chunk *c, const uint8_t *source, size_t size)
{
    struct jfr_types *t = c->types;
    t->source = c->declared ? malloc(size ? size : 1) : NULL;
    t->source_size = size;
    if (t->source)
        memcpy(t->source, source, size);
}

/* Returns where the strings begin. The part before them may differ from chunk to chunk. */
static const uint8_t *skip_head(const uint8_t *at, const uint8_t *end)
{
    for (int i = 0; i < 5; i++) /* size, type, start, duration, id */
        at = input_skip_varint(at, end);
    return at;
}

static int read_types(struct jfr_chunk *c, const uint8_t *at, const uint8_t *end)
{
    struct parse p = {.chunk = c, .types = c->types = jfr_types_new(c->seed), .at = at, .end = end};
    int rc = p.types ? parse(&p) : -ENOMEM;
    free(p.strings);
    free(p.fields);
    free(p.annotations);
    return rc;
}

int jfr_metadata_read(struct jfr_chunk *c)
{
    uint64_t size = 0;
    const uint8_t *at = c->bytes + c->metadata;
    input_varint(at, c->end, &size); /* the scan has checked that the event is there and complete */
    const uint8_t *end = at + size, *source = skip_head(at, end);
    if (source && take_declared(c, source, (size_t)(end - source)))
        return 0;
    int rc = source ? read_types(c, source, end) : -EINVAL;
    if (!rc)
        keep_source(c, source, (size_t)(end - source));
    if (rc == -EINVAL)
        jfr_problem_add(c->problems, c->index, c->info.offset + c->metadata, "the metadata is damaged: the chunk cannot be read; skipped");
    return rc;
}
