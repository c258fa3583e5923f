#include "format/read/pprof_tables.h"

#include "base/array.h"
#include "format/pprof_fields.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

pprof_text pprof_tables_text(const struct pprof_tables *t, uint64_t index)
{
    return index < t->string_count ? t->strings[index] : (pprof_text){"", 0};
}

bool pprof_text_is(pprof_text t, const char *word)
{
    return t.len == strlen(word) && !memcmp(t.bytes, word, t.len);
}

/* ---- the first reading ---- */

static int place(struct map *m, uint64_t id, uint32_t at)
{
    bool added;
    uint32_t *slot = map_add(m, id, &added);
    if (!slot)
        return -ENOMEM;
    *slot = at;
    return 0;
}

static struct pprof_type take_value_type(const struct pb_field *field)
{
    struct pprof_type one = {0};
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == PPROF_VALUE_TYPE)
            one.type = f.value;
        else if (f.number == PPROF_VALUE_UNIT)
            one.unit = f.value;
    }
    return one;
}

static int take_function(struct pprof_tables *t, const struct pb_field *field)
{
    struct pprof_names one = {0};
    uint64_t id = 0;
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == PPROF_FUNCTION_ID)
            id = f.value;
        else if (f.number == PPROF_FUNCTION_NAME)
            one.name = f.value;
        else if (f.number == PPROF_FUNCTION_SYSTEM_NAME)
            one.system_name = f.value;
    }
    if (ARRAY_GROW(t->functions, t->function_cap, t->function_count) || place(&t->function_of, id, t->function_count))
        return -ENOMEM;
    t->functions[t->function_count++] = one;
    return 0;
}

static int take_mapping(struct pprof_tables *t, const struct pb_field *field)
{
    uint64_t id = 0, name = 0;
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == PPROF_MAPPING_ID)
            id = f.value;
        else if (f.number == PPROF_MAPPING_FILENAME)
            name = f.value;
    }
    if (ARRAY_GROW(t->mappings, t->mapping_cap, t->mapping_count) || place(&t->mapping_of, id, t->mapping_count))
        return -ENOMEM;
    t->mappings[t->mapping_count++] = name;
    return 0;
}

static int take_location(struct pprof_tables *t, const struct pb_field *field)
{
    uint64_t id = 0;
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);)
        if (f.number == PPROF_LOCATION_ID)
            id = f.value;
    if (ARRAY_GROW(t->locations, t->location_cap, t->location_count) || place(&t->location_of, id, t->location_count))
        return -ENOMEM;
    t->locations[t->location_count++] = (struct pprof_place){.message = pb_message(field)};
    return 0;
}

/* Returns the bytes of a text that the limit allows, without a part of a character at the end. */
static size_t allowed(struct import_limits *limits, const struct pb_field *f)
{
    if (!limits || !limits->text || f->size <= limits->text)
        return f->size;
    size_t n = limits->text;
    while (n && (f->bytes[n] & 0xc0) == 0x80)
        n--;
    limits->cut_texts++;
    return n;
}

static int take_string(struct pprof_tables *t, const struct pb_field *f)
{
    if (ARRAY_GROW(t->strings, t->string_cap, t->string_count))
        return -ENOMEM;
    t->strings[t->string_count++] = (pprof_text){(const char *)f->bytes, allowed(t->limits, f)};
    return 0;
}

static int take_type(struct pprof_tables *t, const struct pb_field *f)
{
    if (ARRAY_GROW(t->types, t->type_cap, t->type_count))
        return -ENOMEM;
    t->types[t->type_count++] = take_value_type(f);
    return 0;
}

static int take_comments(struct pprof_tables *t, const struct pb_field *f)
{
    struct pb_numbers rest = pb_numbers(f);
    for (uint64_t v; pb_number(&rest, &v);) {
        if (ARRAY_GROW(t->comments, t->comment_cap, t->comment_count))
            return -ENOMEM;
        t->comments[t->comment_count++] = v;
    }
    return 0;
}

int pprof_tables_take(struct pprof_tables *t, const struct pb_field *f)
{
    switch (f->number) {
    case PPROF_SAMPLE_TYPE:
        return take_type(t, f);
    case PPROF_MAPPING:
        return take_mapping(t, f);
    case PPROF_LOCATION:
        return take_location(t, f);
    case PPROF_FUNCTION:
        return take_function(t, f);
    case PPROF_STRING:
        return take_string(t, f);
    case PPROF_COMMENT:
        return take_comments(t, f);
    case PPROF_TIME_NANOS:
        t->p->start_ns = (int64_t)f->value > 0 ? (int64_t)f->value : 0;
        break;
    case PPROF_DURATION_NANOS:
        t->p->duration_ns = (int64_t)f->value > 0 ? f->value : 0;
        break;
    case PPROF_PERIOD_TYPE:
        t->period_type = take_value_type(f);
        break;
    case PPROF_PERIOD:
        t->period = (int64_t)f->value;
        break;
    case PPROF_DEFAULT_SAMPLE_TYPE:
        t->default_type = f->value;
        break;
    }
    return 0;
}

/* ---- frames ---- */

static uint8_t type_of_mapping(const struct pprof_tables *t, uint64_t id)
{
    const uint32_t *at = map_find(&t->mapping_of, id);
    pprof_text name = at ? pprof_tables_text(t, t->mappings[*at]) : (pprof_text){"", 0};
    if (name.len > 2 && name.bytes[0] == '[' && name.bytes[name.len - 1] == ']')
        return profile_type_named(name.bytes + 1, name.len - 2);
    return PROFILE_TYPE_OTHER;
}

static int add_frame(struct pprof_tables *t, uint32_t frame)
{
    if (ARRAY_GROW(t->frames, t->frame_cap, t->frame_count))
        return -ENOMEM;
    t->frames[t->frame_count++] = frame;
    return 0;
}

static int take_line(struct pprof_tables *t, const struct pb_field *field, uint64_t address, uint64_t mapping)
{
    static const struct pprof_names none;
    uint64_t id = 0;
    int64_t line = 0;
    uint32_t frame;
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == PPROF_LINE_FUNCTION)
            id = f.value;
        else if (f.number == PPROF_LINE_LINE)
            line = (int64_t)f.value;
    }
    const uint32_t *at = map_find(&t->function_of, id);
    uint8_t type = type_of_mapping(t, mapping);
    const uint32_t *library = map_find(&t->mapping_of, mapping);
    const struct pprof_names *function = at ? &t->functions[*at] : &none;
    pprof_text file = library ? pprof_tables_text(t, t->mappings[*library]) : (pprof_text){"", 0}, rest;
    /* A frame is native code if its system name begins with the name of the mapped library. */
    if (type == PROFILE_TYPE_OTHER && file.len && file.len < pprof_tables_text(t, function->system_name).len) {
        rest = pprof_tables_text(t, function->system_name);
        if (!memcmp(rest.bytes, file.bytes, file.len) && rest.bytes[file.len] == '!')
            type = JFR_FRAME_NATIVE;
    }
    uint32_t bci = type != PROFILE_TYPE_OTHER && address < UINT32_MAX ? (uint32_t)address : 0;
    int rc = system_name_frame(t->p, pprof_tables_text(t, function->name), pprof_tables_text(t, function->system_name),
                               line > 0 && line < INT32_MAX ? (int32_t)line : 0, bci, type, &frame);
    return rc ? rc : add_frame(t, frame);
}

/* Adds a frame for an address without a function, in the library that is mapped there. */
static int take_address(struct pprof_tables *t, uint64_t address, uint64_t mapping)
{
    static const char none[] = JFR_NO_DESCRIPTOR;
    char text[32];
    uint32_t frame, library, name, descriptor, method;
    int len = snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
    const uint32_t *at = map_find(&t->mapping_of, mapping);
    pprof_text file = at ? pprof_tables_text(t, t->mappings[*at]) : (pprof_text){"", 0};
    if (!file.len || *file.bytes == '[') {
        int rc = import_frame(t->p, text, (size_t)len, 0, PROFILE_TYPE_OTHER, &frame);
        return rc ? rc : add_frame(t, frame);
    }
    const char *slash = memrchr(file.bytes, '/', file.len);
    size_t skip = slash ? (size_t)(slash - file.bytes) + 1 : 0;
    if (profile_string(t->p, file.bytes + skip, file.len - skip, &library) || profile_string(t->p, text, (size_t)len, &name) ||
        profile_string(t->p, none, sizeof none - 1, &descriptor) || profile_method(t->p, library, name, descriptor, &method) ||
        profile_frame(t->p, method, 0, 0, JFR_FRAME_NATIVE, &frame))
        return -ENOMEM;
    return add_frame(t, frame);
}

static int resolve(struct pprof_tables *t, struct pprof_place *l)
{
    uint64_t address = 0, mapping = 0;
    struct pb m = l->message;
    l->first = t->frame_count;
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == PPROF_LOCATION_MAPPING)
            mapping = f.value;
        else if (f.number == PPROF_LOCATION_ADDRESS)
            address = f.value;
    }
    m = l->message;
    for (struct pb_field f; pb_next(&m, &f);)
        if (f.number == PPROF_LOCATION_LINE && take_line(t, &f, address, mapping))
            return -ENOMEM;
    if (l->first == t->frame_count && take_address(t, address, mapping))
        return -ENOMEM;
    l->count = t->frame_count - l->first;
    return 0;
}

int pprof_tables_resolve(struct pprof_tables *t)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < t->location_count; i++)
        rc = resolve(t, &t->locations[i]);
    return rc;
}

void pprof_tables_deinit(struct pprof_tables *t)
{
    free(t->strings);
    free(t->functions);
    free(t->locations);
    free(t->mappings);
    free(t->types);
    free(t->comments);
    free(t->frames);
    map_deinit(&t->function_of);
    map_deinit(&t->location_of);
    map_deinit(&t->mapping_of);
}
