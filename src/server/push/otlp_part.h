/* Makes a separate message of a part of an OTLP message: some of its profiles, and the entries of the dictionary that they refer to.
 * Entries keep their numbers. Entries that are not needed become empty, and those after the last needed entry are left out. */
#ifndef CANDOR_SERVER_PUSH_OTLP_PART_H
#define CANDOR_SERVER_PUSH_OTLP_PART_H

#include "format/read/otlp_tables.h"

struct otlp_part {
    const struct otlp_tables *t;
    uint32_t *needed[OTLP_STACKS + 1]; /* by table and entry: the number of the last part that needs the entry */
    uint32_t last[OTLP_STACKS + 1];    /* by table: number of entries up to the last needed one */
    uint32_t number;
    struct buffer *out; /* receives the part that has begun */
    struct buffer profiles;
};

/* Prepares for all parts of one message. Returns 0 or -ENOMEM. Call otlp_part_deinit in both cases. */
int otlp_part_init(struct otlp_part *p, const struct otlp_tables *t);
void otlp_part_deinit(struct otlp_part *p);
/* To make a part, call otlp_part_begin, then otlp_part_profile for each profile, then otlp_part_end with their resource (NULL = none).
 * otlp_part_end appends the message to `out`. */
void otlp_part_begin(struct otlp_part *p, struct buffer *out);
void otlp_part_profile(struct otlp_part *p, const struct pb_field *profile);
void otlp_part_end(struct otlp_part *p, const struct pb_field *resource);

#endif
