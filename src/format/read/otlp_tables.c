#include "format/read/otlp_tables.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool otlp_is(otlp_text t, const char *word)
{
    return t.len == strlen(word) && !memcmp(t.bytes, word, t.len);
}

static const struct pb_field *entry(const struct otlp_tables *t, enum otlp_dictionary table, uint64_t index)
{
    const struct otlp_table *entries = &t->tables[table];
    return index < entries->count ? &entries->entries[index] : NULL;
}

otlp_text otlp_tables_text(const struct otlp_tables *t, uint64_t index)
{
    const struct pb_field *f = entry(t, OTLP_STRINGS, index);
    return f ? (otlp_text){(const char *)f->bytes, f->size} : (otlp_text){"", 0};
}

otlp_text otlp_field_text(const struct pb_field *f)
{
    return (otlp_text){(const char *)f->bytes, f->size};
}

/* ---- the dictionary ---- */

int otlp_tables_take(struct otlp_tables *t, const struct pb_field *field)
{
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number > OTLP_STACKS || f.wire != PB_BYTES)
            continue;
        struct otlp_table *table = &t->tables[f.number];
        if (ARRAY_GROW(table->entries, table->cap, table->count))
            return -ENOMEM;
        table->entries[table->count++] = f;
    }
    return m.bad ? import_bad(t->in, "damaged: an OTLP profile that is truncated, or another kind of file") : 0;
}

static void take_value_text(struct otlp_attribute *a, otlp_text text)
{
    a->value = text;
    a->kind = OTLP_IS_TEXT;
}

void otlp_tables_any(const struct otlp_tables *t, const struct pb_field *field, struct otlp_attribute *a)
{
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == OTLP_STRING)
            take_value_text(a, otlp_field_text(&f));
        else if (f.number == OTLP_STRING_INDEX)
            take_value_text(a, otlp_tables_text(t, f.value));
        else if (f.number == OTLP_BOOL)
            take_value_text(a, f.value ? (otlp_text){"true", 4} : (otlp_text){"false", 5});
        else if (f.number == OTLP_INT) {
            a->number = f.value;
            a->kind = OTLP_IS_NUMBER;
        }
    }
}

struct otlp_attribute otlp_tables_attribute(const struct otlp_tables *t, uint64_t index)
{
    struct otlp_attribute a = {.key = {"", 0}, .value = {"", 0}, .unit = {"", 0}};
    const struct pb_field *field = entry(t, OTLP_ATTRIBUTES, index);
    if (!field)
        return a;
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == OTLP_KEY)
            a.key = otlp_tables_text(t, f.value);
        else if (f.number == OTLP_VALUE)
            otlp_tables_any(t, &f, &a);
        else if (f.number == OTLP_KEY_UNIT)
            a.unit = otlp_tables_text(t, f.value);
    }
    return a;
}

struct otlp_attribute otlp_tables_key_value(const struct otlp_tables *t, const struct pb_field *field)
{
    struct otlp_attribute a = {.key = {"", 0}, .value = {"", 0}, .unit = {"", 0}};
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == OTLP_KEY)
            a.key = otlp_field_text(&f);
        else if (f.number == OTLP_KEY_INDEX)
            a.key = otlp_tables_text(t, f.value);
        else if (f.number == OTLP_VALUE)
            otlp_tables_any(t, &f, &a);
    }
    return a;
}

void otlp_tables_link(const struct otlp_tables *t, uint64_t index, otlp_text *trace, otlp_text *span)
{
    const struct pb_field *field = entry(t, OTLP_LINKS, index);
    *trace = *span = (otlp_text){"", 0};
    struct pb m = field ? pb_message(field) : pb_init("", 0);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == OTLP_LINK_TRACE)
            *trace = otlp_field_text(&f);
        else if (f.number == OTLP_LINK_SPAN)
            *span = otlp_field_text(&f);
    }
}

/* ---- frames ---- */

struct place {
    uint8_t type;
    uint32_t bci;
};

static uint8_t type_of_kind(otlp_text kind)
{
    return otlp_is(kind, "jvm")      ? JFR_FRAME_JAVA
           : otlp_is(kind, "native") ? JFR_FRAME_NATIVE
           : otlp_is(kind, "kernel") ? JFR_FRAME_KERNEL
                                     : PROFILE_TYPE_OTHER;
}

static void take_place(const struct otlp_tables *t, const struct pb_field *f, struct place *place)
{
    struct pb_numbers rest = pb_numbers(f);
    bool exact = false;
    for (uint64_t index; pb_number(&rest, &index);) {
        struct otlp_attribute a = otlp_tables_attribute(t, index);
        if (otlp_is(a.key, OTLP_FRAME_TYPE)) {
            place->type = profile_type_named(a.value.bytes, a.value.len);
            exact = true;
        } else if (otlp_is(a.key, OTLP_FRAME_KIND) && !exact) {
            place->type = type_of_kind(a.value);
        } else if (otlp_is(a.key, OTLP_BCI)) {
            place->bci = a.number < UINT32_MAX ? (uint32_t)a.number : 0;
        }
    }
}

static int add_frame(struct otlp_tables *t, uint32_t frame)
{
    if (ARRAY_GROW(t->frames, t->frame_cap, t->frame_count))
        return -ENOMEM;
    t->frames[t->frame_count++] = frame;
    return 0;
}

static int take_line(struct otlp_tables *t, const struct pb_field *field, struct place place)
{
    uint64_t function = 0;
    int64_t line = 0;
    uint32_t frame;
    otlp_text name = {"", 0}, system = {"", 0};
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == OTLP_LINE_FUNCTION)
            function = f.value;
        else if (f.number == OTLP_LINE_LINE)
            line = (int64_t)f.value;
    }
    const struct pb_field *described = entry(t, OTLP_FUNCTIONS, function);
    m = described ? pb_message(described) : pb_init("", 0);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == OTLP_FUNCTION_NAME)
            name = otlp_tables_text(t, f.value);
        else if (f.number == OTLP_FUNCTION_SYSTEM_NAME)
            system = otlp_tables_text(t, f.value);
    }
    int rc = system_name_frame(t->p, name, system, line > 0 && line < INT32_MAX ? (int32_t)line : 0, place.bci, place.type, &frame);
    return rc ? rc : add_frame(t, frame);
}

static int take_location(struct otlp_tables *t, const struct pb_field *field)
{
    struct place place = {.type = PROFILE_TYPE_OTHER};
    uint64_t address = 0;
    uint32_t before = t->frame_count, frame;
    char number[32];
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == OTLP_LOCATION_ATTRIBUTES)
            take_place(t, &f, &place);
        else if (f.number == OTLP_LOCATION_ADDRESS)
            address = f.value;
    }
    m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);)
        if (f.number == OTLP_LOCATION_LINE && take_line(t, &f, place))
            return -ENOMEM;
    if (t->frame_count > before)
        return 0;
    int len = snprintf(number, sizeof number, "0x%llx", (unsigned long long)address);
    int rc = import_frame(t->p, number, (size_t)len, 0, place.type, &frame);
    return rc ? rc : add_frame(t, frame);
}

int otlp_tables_resolve(struct otlp_tables *t)
{
    uint32_t n = t->tables[OTLP_LOCATIONS].count;
    size_t stacks = (size_t)t->tables[OTLP_STACKS].count + 1;
    t->first = calloc((size_t)n + 1, sizeof *t->first);
    t->stack_ids = calloc(stacks, sizeof *t->stack_ids);
    t->cut = calloc(stacks, sizeof *t->cut);
    int rc = t->first && t->stack_ids && t->cut ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < n; i++) {
        t->first[i] = t->frame_count;
        rc = i ? take_location(t, &t->tables[OTLP_LOCATIONS].entries[i]) : 0;
    }
    if (!rc)
        t->first[n] = t->frame_count;
    return rc;
}

static int push_location(struct otlp_tables *t, uint64_t index)
{
    for (uint32_t i = t->first[index]; i < t->first[index + 1]; i++) {
        if (t->stack.count > PROFILE_DEPTH_MAX)
            return 0;
        if (!t->steps--)
            return import_bad(t->in, "stacks that repeat themselves more than in any real recording: not read");
        if (import_stack_add(&t->stack, t->frames[i]))
            return -ENOMEM;
    }
    return 0;
}

int otlp_tables_stack(struct otlp_tables *t, uint64_t index, uint32_t *id, bool *truncated)
{
    int rc = 0;
    *id = 0;
    *truncated = false;
    const struct pb_field *field = entry(t, OTLP_STACKS, index);
    if (field && t->stack_ids[index]) {
        *id = t->stack_ids[index] - 1;
        *truncated = t->cut[index];
    } else if (field) {
        struct pb m = pb_message(field);
        for (struct pb_field f; pb_next(&m, &f);) {
            struct pb_numbers rest = pb_numbers(&f);
            for (uint64_t l; f.number == OTLP_STACK_LOCATIONS && !rc && pb_number(&rest, &l);)
                rc = l < t->tables[OTLP_LOCATIONS].count ? push_location(t, l) : 0;
        }
        rc = rc ? rc : import_stack_take(&t->stack, t->p, true, id, truncated);
        t->stack_ids[index] = *id + 1;
        t->cut[index] = *truncated;
    }
    return rc || *id ? rc : import_no_stack(t->p, id);
}

void otlp_tables_deinit(struct otlp_tables *t)
{
    for (size_t i = 0; i < sizeof t->tables / sizeof *t->tables; i++)
        free(t->tables[i].entries);
    free(t->frames);
    free(t->first);
    free(t->stack_ids);
    free(t->cut);
    import_stack_deinit(&t->stack);
}
