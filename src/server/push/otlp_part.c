#include "server/push/otlp_part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int otlp_part_init(struct otlp_part *p, const struct otlp_tables *t)
{
    *p = (struct otlp_part){.t = t};
    for (int i = OTLP_MAPPINGS; i <= OTLP_STACKS; i++) {
        p->needed[i] = calloc((size_t)t->tables[i].count + 1, sizeof *p->needed[i]);
        if (!p->needed[i])
            return -ENOMEM;
    }
    return 0;
}

void otlp_part_deinit(struct otlp_part *p)
{
    for (int i = OTLP_MAPPINGS; i <= OTLP_STACKS; i++)
        free(p->needed[i]);
}

/* ---- the needed entries ---- */

enum { IN_MESSAGE = -1, IN_VALUE = -2 }; /* the field contains a message: a line, or a value */

/* Lists which fields of a table's entries refer to which table. */
static const struct reference {
    int table; /* table of the entry; 0 = another kind of message, see below */
    uint32_t field;
    int to; /* a table, IN_MESSAGE or IN_VALUE */
} references[] = {
    {OTLP_STACKS, 1, OTLP_LOCATIONS},     {OTLP_LOCATIONS, 1, OTLP_MAPPINGS}, {OTLP_LOCATIONS, 3, IN_MESSAGE},
    {OTLP_LOCATIONS, 4, OTLP_ATTRIBUTES}, {OTLP_FUNCTIONS, 1, OTLP_STRINGS},  {OTLP_FUNCTIONS, 2, OTLP_STRINGS},
    {OTLP_FUNCTIONS, 3, OTLP_STRINGS},    {OTLP_MAPPINGS, 4, OTLP_STRINGS},   {OTLP_MAPPINGS, 5, OTLP_ATTRIBUTES},
    {OTLP_ATTRIBUTES, 1, OTLP_STRINGS},   {OTLP_ATTRIBUTES, 2, IN_VALUE},     {OTLP_ATTRIBUTES, 3, OTLP_STRINGS},
};

static void need(struct otlp_part *p, int table, uint64_t index);

static void need_all(struct otlp_part *p, int table, const struct pb_field *f)
{
    struct pb_numbers rest = pb_numbers(f);
    for (uint64_t index; pb_number(&rest, &index);)
        need(p, table, index);
}

/* Marks the entries of a table to which a field of a message refers. */
static void need_field(struct otlp_part *p, const struct pb_field *message, uint32_t number, int table)
{
    struct pb m = pb_message(message);
    for (struct pb_field f; pb_next(&m, &f);)
        if (f.number == number)
            need_all(p, table, &f);
}

/* Marks an entry, and the entries to which it refers. References lead from table to table without a cycle, so the recursion is no deeper
 * than the number of tables. */
static void need(struct otlp_part *p, int table, uint64_t index)
{
    const struct otlp_table *t = &p->t->tables[table];
    if (index >= t->count || p->needed[table][index] == p->number)
        return;
    p->needed[table][index] = p->number;
    p->last[table] = index >= p->last[table] ? (uint32_t)index + 1 : p->last[table];
    if (table == OTLP_STRINGS || table == OTLP_LINKS)
        return;
    struct pb m = pb_message(&t->entries[index]);
    for (struct pb_field f; pb_next(&m, &f);)
        for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
            if (references[i].table != table || references[i].field != f.number)
                continue;
            if (references[i].to == IN_MESSAGE)
                need_field(p, &f, OTLP_LINE_FUNCTION, OTLP_FUNCTIONS);
            else if (references[i].to == IN_VALUE)
                need_field(p, &f, OTLP_STRING_INDEX, OTLP_STRINGS);
            else
                need_all(p, references[i].to, &f);
        }
}

/* Marks the entries to which a sample refers. Fields 2 to 4 are attributes, a link and values in one version, but values, attributes and a
 * link in another. So each field that may be an attribute or a link is treated as such. */
static void need_sample(struct otlp_part *p, const struct pb_field *sample)
{
    struct pb m = pb_message(sample);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == 1)
            need_all(p, OTLP_STACKS, &f);
        if (f.number == 2 || f.number == 3)
            need_all(p, OTLP_ATTRIBUTES, &f);
        if (f.number == 3 || f.number == 4)
            need_all(p, OTLP_LINKS, &f);
    }
}

static void need_value_type(struct otlp_part *p, const struct pb_field *type)
{
    need_field(p, type, OTLP_TYPE, OTLP_STRINGS);
    need_field(p, type, OTLP_UNIT, OTLP_STRINGS);
}

static void need_profile(struct otlp_part *p, const struct pb_field *profile)
{
    struct pb m = pb_message(profile);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == OTLP_SAMPLE)
            need_sample(p, &f);
        else if (f.number == OTLP_SAMPLE_TYPE || f.number == OTLP_PERIOD_TYPE)
            need_value_type(p, &f);
        else if (f.number == OTLP_PROFILE_ATTRIBUTES)
            need_all(p, OTLP_ATTRIBUTES, &f);
    }
}

static void need_resource(struct otlp_part *p, const struct pb_field *resource)
{
    struct pb m = pb_message(resource);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number != OTLP_RESOURCE_ATTRIBUTE)
            continue;
        need_field(p, &f, OTLP_KEY_INDEX, OTLP_STRINGS);
        struct pb pair = pb_message(&f);
        for (struct pb_field one; pb_next(&pair, &one);)
            if (one.number == OTLP_VALUE)
                need_field(p, &one, OTLP_STRING_INDEX, OTLP_STRINGS);
    }
}

/* ---- writing ---- */

static void write_dictionary(const struct otlp_part *p, struct buffer *out)
{
    struct buffer dictionary;
    buffer_init(&dictionary, out->max);
    for (uint32_t table = OTLP_MAPPINGS; table <= OTLP_STACKS; table++)
        for (uint32_t i = 0; i < p->last[table]; i++) {
            const struct pb_field *f = &p->t->tables[table].entries[i];
            bool needed = p->needed[table][i] == p->number;
            pb_put_bytes(&dictionary, table, needed ? (const void *)f->bytes : "", needed ? f->size : 0);
        }
    pb_put_message(out, OTLP_DICTIONARY, &dictionary);
    buffer_deinit(&dictionary);
}

void otlp_part_begin(struct otlp_part *p, struct buffer *out)
{
    p->number++;
    p->out = out;
    memset(p->last, 0, sizeof p->last);
    need(p, OTLP_STRINGS, 0);
    buffer_init(&p->profiles, out->max);
}

void otlp_part_profile(struct otlp_part *p, const struct pb_field *profile)
{
    need_profile(p, profile);
    pb_put_bytes(&p->profiles, OTLP_PROFILE, profile->bytes, profile->size);
}

void otlp_part_end(struct otlp_part *p, const struct pb_field *resource)
{
    struct buffer all;
    buffer_init(&all, p->out->max);
    if (resource) {
        need_resource(p, resource);
        pb_put_bytes(&all, OTLP_RESOURCE, resource->bytes, resource->size);
    }
    pb_put_message(&all, OTLP_SCOPE_PROFILES, &p->profiles);
    pb_put_message(p->out, OTLP_RESOURCE_PROFILES, &all);
    write_dictionary(p, p->out);
    buffer_deinit(&p->profiles);
    buffer_deinit(&all);
}
