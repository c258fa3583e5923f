#include "agent/hotspot/vmstructs.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool number(void *libjvm, const char *table, const char *what, uint64_t *out)
{
    char symbol[96];
    snprintf(symbol, sizeof symbol, "%s%s", table, what);
    const uint64_t *p = dlsym(libjvm, symbol);
    if (p)
        *out = *p;
    return p != NULL;
}

static bool base(void *libjvm, const char *symbol, const char **out)
{
    const char *const *p = dlsym(libjvm, symbol);
    if (p)
        *out = *p;
    return p && *p;
}

bool vmstructs_open(struct vmstructs *v, void *libjvm)
{
    struct vmstructs_table *f = &v->fields, *t = &v->types, *i = &v->ints, *l = &v->longs;
    const char *fe = "gHotSpotVMStructEntry", *te = "gHotSpotVMTypeEntry", *ie = "gHotSpotVMIntConstantEntry",
               *le = "gHotSpotVMLongConstantEntry";
    return base(libjvm, "gHotSpotVMStructs", &f->base) && number(libjvm, fe, "ArrayStride", &f->stride) &&
           number(libjvm, fe, "TypeNameOffset", &f->name) && number(libjvm, fe, "FieldNameOffset", &f->second_name) &&
           number(libjvm, fe, "TypeStringOffset", &f->type_string) && number(libjvm, fe, "IsStaticOffset", &f->is_static) &&
           number(libjvm, fe, "OffsetOffset", &f->offset) && number(libjvm, fe, "AddressOffset", &f->address) &&
           base(libjvm, "gHotSpotVMTypes", &t->base) && number(libjvm, te, "ArrayStride", &t->stride) &&
           number(libjvm, te, "TypeNameOffset", &t->name) && number(libjvm, te, "SizeOffset", &t->offset) &&
           base(libjvm, "gHotSpotVMIntConstants", &i->base) && number(libjvm, ie, "ArrayStride", &i->stride) &&
           number(libjvm, ie, "NameOffset", &i->name) && number(libjvm, ie, "ValueOffset", &i->offset) &&
           base(libjvm, "gHotSpotVMLongConstants", &l->base) && number(libjvm, le, "ArrayStride", &l->stride) &&
           number(libjvm, le, "NameOffset", &l->name) && number(libjvm, le, "ValueOffset", &l->offset);
}

static const char *text(const char *entry, uint64_t offset)
{
    const char *s;
    memcpy(&s, entry + offset, sizeof s);
    return s;
}

static uint64_t word(const char *entry, uint64_t offset)
{
    uint64_t w;
    memcpy(&w, entry + offset, sizeof w);
    return w;
}

static const char *find(const struct vmstructs_table *t, const char *name, const char *second)
{
    for (const char *e = t->base; text(e, t->name); e += t->stride)
        if (!strcmp(text(e, t->name), name) && (!second || !strcmp(text(e, t->second_name), second)))
            return e;
    return NULL;
}

/* Returns the width of a type. The same member may have different widths in different versions, so the width comes from the type's name. */
static int width_of(const struct vmstructs *v, const char *type)
{
    static const struct {
        const char *name;
        int width;
    } known[] = {{"int", 4},      {"unsigned int", 4},
                 {"jint", 4},     {"juint", 4},
                 {"u4", 4},       {"uint32_t", 4},
                 {"int32_t", 4},  {"const uint", 4},
                 {"pid_t", 4},    {"u2", 2},
                 {"jushort", 2},  {"uint16_t", 2},
                 {"int16_t", 2},  {"short", 2},
                 {"u1", 1},       {"bool", 1},
                 {"char", 1},     {"int8_t", 1},
                 {"uint8_t", 1},  {"size_t", 8},
                 {"intptr_t", 8}, {"address", 8},
                 {"uint64_t", 8}, {"int64_t", 8},
                 {"jlong", 8},    {"volatile signed char", 1}};
    if (!type)
        return 8;
    if (strchr(type, '*'))
        return 8;
    if (!strncmp(type, "volatile ", 9) && strcmp(type, "volatile signed char"))
        type += 9;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(type, known[i].name))
            return known[i].width;
    uint64_t size;
    if (vmstructs_sizeof(v, type, &size) && (size == 1 || size == 2 || size == 4))
        return (int)size;
    return 8;
}

bool vmstructs_field(const struct vmstructs *v, const char *type, const char *field, struct vm_field *out)
{
    const struct vmstructs_table *t = &v->fields;
    const char *e = find(t, type, field);
    if (!e || *(const int *)(e + t->is_static) || word(e, t->offset) > UINT16_MAX)
        return false;
    *out = (struct vm_field){(uint16_t)word(e, t->offset), (uint8_t)width_of(v, text(e, t->type_string))};
    return true;
}

void *vmstructs_static(const struct vmstructs *v, const char *type, const char *field)
{
    const char *e = find(&v->fields, type, field);
    return e && *(const int *)(e + v->fields.is_static) ? (void *)word(e, v->fields.address) : NULL;
}

bool vmstructs_sizeof(const struct vmstructs *v, const char *type, uint64_t *size)
{
    const char *e = find(&v->types, type, NULL);
    if (e)
        *size = word(e, v->types.offset);
    return e != NULL;
}

bool vmstructs_constant(const struct vmstructs *v, const char *name, int *value)
{
    const char *e = find(&v->ints, name, NULL);
    if (e)
        memcpy(value, e + v->ints.offset, sizeof *value);
    return e != NULL;
}

bool vmstructs_long_constant(const struct vmstructs *v, const char *name, uint64_t *value)
{
    const char *e = find(&v->longs, name, NULL);
    if (e)
        *value = word(e, v->longs.offset);
    return e != NULL;
}
