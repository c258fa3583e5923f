/* A part of an OTLP message as a message of its own: some of its profiles, with the entries of the dictionary that these refer to. Entries
 * keep their numbers: those that are not needed become empty, and those behind the last that is needed go. */
#ifndef CANDOR_SERVER_PUSH_OTLP_PART_H
#define CANDOR_SERVER_PUSH_OTLP_PART_H

#include "format/read/otlp_tables.h"

struct otlp_part {
    const struct otlp_tables *t;
    uint32_t *needed[OTLP_STACKS + 1]; /* by table and entry: the number of the last part that needs it */
    uint32_t last[OTLP_STACKS + 1];    /* entries of the table, up to the last that is needed */
    uint32_t number;
    struct buffer *out; /* of the part that has begun */
    struct buffer profiles;
};

/* For all parts of one message. 0 or -ENOMEM; otlp_part_deinit either way. */
int otlp_part_init(struct otlp_part *p, const struct otlp_tables *t);
void otlp_part_deinit(struct otlp_part *p);
/* A part: its profiles one by one, then their resource (NULL = it has none), with which the message is appended to `out`. */
void otlp_part_begin(struct otlp_part *p, struct buffer *out);
void otlp_part_profile(struct otlp_part *p, const struct pb_field *profile);
void otlp_part_end(struct otlp_part *p, const struct pb_field *resource);

#endif
