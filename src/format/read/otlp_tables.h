/* Reads the dictionary of an OTLP message, to which its samples refer, for otlp_read.c. */
#ifndef CANDOR_FORMAT_READ_OTLP_TABLES_H
#define CANDOR_FORMAT_READ_OTLP_TABLES_H

#include "format/import.h"
#include "format/otlp_fields.h"
#include "base/pb.h"
#include "format/system_name.h"

typedef struct system_name_text otlp_text;

/* The entries of one table. An entry is read when a sample refers to it. */
struct otlp_table {
    struct pb_field *entries;
    uint32_t count, cap;
};

struct otlp_attribute {
    otlp_text key, value, unit;
    uint64_t number;
    enum { OTLP_IS_OTHER, OTLP_IS_TEXT, OTLP_IS_NUMBER } kind; /* OTLP_IS_OTHER: a type that Candor does not keep, such as a list */
};

struct otlp_tables {
    struct profile *p;
    const struct import *in;
    struct otlp_table tables[OTLP_STACKS + 1]; /* indexed by enum otlp_dictionary */
    uint32_t *frames;                          /* the frames of all locations, innermost first; those of one location are consecutive */
    uint32_t frame_count, frame_cap;
    uint32_t *first;     /* indexed by location: its first frame; one more entry marks the end */
    uint32_t *stack_ids; /* indexed by stack: the id in the profile plus 1; 0 = not read yet */
    bool *cut;           /* indexed by stack: whether it is truncated */
    struct import_stack stack;
    uint64_t steps; /* frames that stacks may still have: a limit for invalid files; valid ones need a few bytes for each */
};

/* otlp_tables_take collects the entries of a dictionary; otlp_tables_resolve then makes the frames of all locations. They return 0 or a
 * code of import_bad. */
int otlp_tables_take(struct otlp_tables *t, const struct pb_field *field);
int otlp_tables_resolve(struct otlp_tables *t);
void otlp_tables_deinit(struct otlp_tables *t);

otlp_text otlp_tables_text(const struct otlp_tables *t, uint64_t index); /* "" if there is none */
struct otlp_attribute otlp_tables_attribute(const struct otlp_tables *t, uint64_t index);
/* Reads an attribute of a resource, which has its own key and value. */
struct otlp_attribute otlp_tables_key_value(const struct otlp_tables *t, const struct pb_field *field);
/* Reads the ids in an entry of the table of links, as bytes; "" if there is none. */
void otlp_tables_link(const struct otlp_tables *t, uint64_t index, otlp_text *trace, otlp_text *span);
/* Makes the profile's stack for an entry of the table of stacks. Returns 0 or a code of import_bad. */
int otlp_tables_stack(struct otlp_tables *t, uint64_t index, uint32_t *id, bool *truncated);
/* Reads an AnyValue as the attribute's value or number. */
void otlp_tables_any(const struct otlp_tables *t, const struct pb_field *field, struct otlp_attribute *a);

otlp_text otlp_field_text(const struct pb_field *f);
bool otlp_is(otlp_text t, const char *word);

#endif
