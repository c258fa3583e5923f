/* The tables to which the samples of a pprof profile refer (strings, functions, locations, values), for pprof_read.c. */
#ifndef CANDOR_FORMAT_READ_PPROF_TABLES_H
#define CANDOR_FORMAT_READ_PPROF_TABLES_H

#include "format/import.h"
#include "base/pb.h"
#include "format/system_name.h"

typedef struct system_name_text pprof_text;

struct pprof_names {
    uint64_t name, system_name; /* indices of strings */
};

/* A location, and, after pprof_tables_resolve, its frames. */
struct pprof_place {
    struct pb message;
    uint32_t first, count;
};

struct pprof_type {
    uint64_t type, unit; /* indices of strings */
};

struct pprof_tables {
    struct profile *p;
    struct import_limits *limits; /* NULL = none */
    pprof_text *strings;
    uint32_t string_count, string_cap;
    struct pprof_names *functions;
    uint32_t function_count, function_cap;
    struct pprof_place *locations;
    uint32_t location_count, location_cap;
    uint64_t *mappings; /* indices of the names */
    uint32_t mapping_count, mapping_cap;
    struct pprof_type *types;
    uint32_t type_count, type_cap;
    uint64_t *comments;
    uint32_t comment_count, comment_cap;
    struct map function_of, location_of, mapping_of; /* id -> index */
    uint32_t *frames;                                /* the frames of all locations, innermost first */
    uint32_t frame_count, frame_cap;
    struct pprof_type period_type;
    int64_t period;
    uint64_t default_type;
};

/* Reads one field of the outermost message; fields with samples are ignored. Returns 0 or -ENOMEM. */
int pprof_tables_take(struct pprof_tables *t, const struct pb_field *f);
/* Makes the frames of all locations after all fields were read. Returns 0 or -ENOMEM. */
int pprof_tables_resolve(struct pprof_tables *t);
void pprof_tables_deinit(struct pprof_tables *t);

pprof_text pprof_tables_text(const struct pprof_tables *t, uint64_t index); /* "" if there is none */
bool pprof_text_is(pprof_text t, const char *word);

#endif
