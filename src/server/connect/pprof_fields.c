#include "server/connect/pprof_fields.h"

#include "base/pb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum field_kind { NUMBER, NUMBERS, TEXTS, BOOL, MESSAGE, MESSAGES };

struct field {
    uint32_t number;
    const char *name;
    enum field_kind kind;
    const struct field *of; /* of a message: its fields */
};

static const struct field value_type[] = {{1, "type", NUMBER, NULL}, {2, "unit", NUMBER, NULL}, {0}};
static const struct field label[] = {{1, "key", NUMBER, NULL},
                                     {2, "str", NUMBER, NULL},
                                     {3, "num", NUMBER, NULL},
                                     {4, "numUnit", NUMBER, NULL},
                                     {0}};
static const struct field sample[] = {{1, "locationId", NUMBERS, NULL}, {2, "value", NUMBERS, NULL}, {3, "label", MESSAGES, label}, {0}};
static const struct field mapping[] = {{1, "id", NUMBER, NULL},
                                       {2, "memoryStart", NUMBER, NULL},
                                       {3, "memoryLimit", NUMBER, NULL},
                                       {4, "fileOffset", NUMBER, NULL},
                                       {5, "filename", NUMBER, NULL},
                                       {6, "buildId", NUMBER, NULL},
                                       {7, "hasFunctions", BOOL, NULL},
                                       {8, "hasFilenames", BOOL, NULL},
                                       {9, "hasLineNumbers", BOOL, NULL},
                                       {10, "hasInlineFrames", BOOL, NULL},
                                       {0}};
static const struct field line[] = {{1, "functionId", NUMBER, NULL}, {2, "line", NUMBER, NULL}, {0}};
static const struct field location[] = {{1, "id", NUMBER, NULL},     {2, "mappingId", NUMBER, NULL}, {3, "address", NUMBER, NULL},
                                        {4, "line", MESSAGES, line}, {5, "isFolded", BOOL, NULL},    {0}};
static const struct field function[] = {{1, "id", NUMBER, NULL},       {2, "name", NUMBER, NULL},      {3, "systemName", NUMBER, NULL},
                                        {4, "filename", NUMBER, NULL}, {5, "startLine", NUMBER, NULL}, {0}};
static const struct field profile[] = {
    {1, "sampleType", MESSAGES, value_type}, {2, "sample", MESSAGES, sample},         {3, "mapping", MESSAGES, mapping},
    {4, "location", MESSAGES, location},     {5, "function", MESSAGES, function},     {6, "stringTable", TEXTS, NULL},
    {7, "dropFrames", NUMBER, NULL},         {8, "keepFrames", NUMBER, NULL},         {9, "timeNanos", NUMBER, NULL},
    {10, "durationNanos", NUMBER, NULL},     {11, "periodType", MESSAGE, value_type}, {12, "period", NUMBER, NULL},
    {13, "comment", NUMBERS, NULL},          {14, "defaultSampleType", NUMBER, NULL}, {0}};

static int put_message(struct wire *w, struct pb message, const struct field *fields);

/* Writes the numbers of a repeated field; these may be in several fields of the message. */
static int put_numbers(struct wire *w, struct pb message, const struct field *f)
{
    int64_t *list = NULL;
    size_t n = 0, cap = 0;
    for (struct pb_field one; pb_next(&message, &one);) {
        if (one.number != f->number)
            continue;
        uint64_t v;
        for (struct pb_numbers rest = pb_numbers(&one); pb_number(&rest, &v);) {
            if (n == cap) {
                cap = cap ? 2 * cap : 64;
                int64_t *more = realloc(list, cap * sizeof *list);
                if (!more) {
                    free(list);
                    return -ENOMEM;
                }
                list = more;
            }
            list[n++] = (int64_t)v;
        }
    }
    wire_ints(w, f->number, f->name, list, n);
    free(list);
    return 0;
}

static int put_text(struct wire *w, const struct field *f, const struct pb_field *one)
{
    char *text = malloc(one->size + 1);
    if (!text)
        return -ENOMEM;
    memcpy(text, one->bytes, one->size);
    text[one->size] = 0;
    wire_text(w, f->number, f->name, text);
    free(text);
    return 0;
}

static int put_value(struct wire *w, const struct field *f, const struct pb_field *one)
{
    int rc = 0;
    if (f->kind == NUMBER)
        wire_int(w, f->number, f->name, (int64_t)one->value);
    else if (f->kind == BOOL)
        wire_bool(w, f->number, f->name, one->value != 0);
    else if (f->kind == TEXTS)
        rc = put_text(w, f, one);
    else {
        wire_message(w, f->number, f->name);
        rc = put_message(w, pb_message(one), f->of);
        wire_message_end(w, f->number);
    }
    return rc;
}

/* Writes a message field by field, because in JSON the elements of a list must stand together. */
static int put_message(struct wire *w, struct pb message, const struct field *fields)
{
    int rc = 0;
    for (const struct field *f = fields; !rc && f->name; f++) {
        bool list = f->kind == TEXTS || f->kind == MESSAGES;
        struct pb rest = message;
        if (f->kind == NUMBERS) {
            rc = put_numbers(w, message, f);
            continue;
        }
        if (list)
            wire_list(w, f->name);
        for (struct pb_field one; !rc && pb_next(&rest, &one);)
            if (one.number == f->number)
                rc = put_value(w, f, &one);
        if (list)
            wire_list_end(w);
    }
    return rc;
}

int pprof_fields_put(struct wire *w, const void *bytes, size_t n)
{
    if (w->json)
        return put_message(w, pb_init(bytes, n), profile);
    wire_fields(w, bytes, n);
    return 0;
}
