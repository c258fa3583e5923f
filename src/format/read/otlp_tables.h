/* The dictionary of an OTLP message: what samples refer to; the inside of otlp_read.c. */
#ifndef CANDOR_FORMAT_READ_OTLP_TABLES_H
#define CANDOR_FORMAT_READ_OTLP_TABLES_H

#include "format/import.h"
#include "format/otlp_fields.h"
#include "format/pb.h"
#include "format/system_name.h"

typedef struct system_name_text otlp_text;

/* The entries of one table, which are read when samples name them. */
struct otlp_table {
    struct pb_field *entries;
    uint32_t count, cap;
};

struct otlp_attribute {
    otlp_text key, value, unit;
    uint64_t number;
    enum { OTLP_IS_OTHER, OTLP_IS_TEXT, OTLP_IS_NUMBER } kind; /* other: what we keep nothing of, a list or a fraction */
};

struct otlp_tables {
    struct profile *p;
    const struct import *in;
    struct otlp_table tables[OTLP_STACKS + 1]; /* by enum otlp_dictionary */
    uint32_t *frames;                          /* of locations, innermost first; those of one location lie side by side */
    uint32_t frame_count, frame_cap;
    uint32_t *first;     /* by location: where its frames begin, plus one entry */
    uint32_t *stack_ids; /* by stack: the profile's, plus 1; 0 = not read */
    bool *cut;           /* by stack */
    struct import_stack stack;
    uint64_t steps; /* frames that stacks may still have: an honest file needs a few bytes for each */
};

/* Takes the entries of a dictionary, then makes frames of all locations. 0 or a code of import_bad. */
int otlp_tables_take(struct otlp_tables *t, const struct pb_field *field);
int otlp_tables_resolve(struct otlp_tables *t);
void otlp_tables_deinit(struct otlp_tables *t);

otlp_text otlp_tables_text(const struct otlp_tables *t, uint64_t index); /* "" where there is none */
struct otlp_attribute otlp_tables_attribute(const struct otlp_tables *t, uint64_t index);
/* An attribute of a resource, which has its own key and value. */
struct otlp_attribute otlp_tables_key_value(const struct otlp_tables *t, const struct pb_field *field);
/* The ids in an entry of the table of links: their bytes, "" where there is none. */
void otlp_tables_link(const struct otlp_tables *t, uint64_t index, otlp_text *trace, otlp_text *span);
/* The profile's stack of an entry of the stack table. 0 or a code of import_bad. */
int otlp_tables_stack(struct otlp_tables *t, uint64_t index, uint32_t *id, bool *truncated);
/* What an AnyValue holds, as the attribute's value or number. */
void otlp_tables_any(const struct otlp_tables *t, const struct pb_field *field, struct otlp_attribute *a);

otlp_text otlp_field_text(const struct pb_field *f);
bool otlp_is(otlp_text t, const char *word);

#endif
