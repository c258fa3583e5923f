/* Appends the metadata event, which declares every type of schema_table.h, to b. Marks b failed when memory is short. */
#ifndef CANDOR_JFR_WRITE_METADATA_WRITE_H
#define CANDOR_JFR_WRITE_METADATA_WRITE_H

#include "base/buffer.h"
#include "jfr/schema_table.h"

void jfr_metadata_write(struct buffer *b, uint64_t ticks, uint32_t without);
/* The same with no event type but padding, some 200 bytes: for a chunk that holds nothing. */
void jfr_metadata_write_bare(struct buffer *b);

#endif
