/* Which segments a query is of: parts of recordings whose labels, times and type are asked for, by segment. */
#ifndef CANDOR_STORE_GATHER_H
#define CANDOR_STORE_GATHER_H

#include "store/store_internal.h"

struct gathered {
    uint64_t recording, segment, labelset, rows;
    uint32_t dictionary, type, by;
};

struct gather {
    struct gathered *list;
    uint32_t count, cap;
    struct strtab types, values; /* values: of the label that is asked for; 0 = it has none */
    struct map labelsets;        /* -> 1 + value, 0 = not selected */
    uint64_t rows;
};

/* by: a label, or NULL. Fills the result's type and count of recordings. 0 or a code; either way gather_deinit ends it. */
int gather_init(struct gather *g, struct store *s, const struct store_query *q, const char *by, struct store_result *r,
                struct error *e);
void gather_deinit(struct gather *g);

/* A segment of the list: the rows of the selected recordings in the query's time, one by one. *at moves on behind the segment's last entry
 * in the list. One that cannot be read is put aside, and named in the result. 0 or a code. */
typedef int gather_visit(void *context, const struct gathered *of, const struct segment *segment,
                         const struct segment_row *row);
int gather_segment(const struct gather *g, struct store *s, const struct store_query *q, uint32_t *at, unsigned columns,
                   gather_visit *visit, void *context, struct store_result *r, struct error *e);

#endif
