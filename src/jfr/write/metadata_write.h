/* Appends the metadata event, which declares every type of schema_table.h, to b. Marks b as failed if there is no memory. */
#ifndef CANDOR_JFR_WRITE_METADATA_WRITE_H
#define CANDOR_JFR_WRITE_METADATA_WRITE_H

#include "base/buffer.h"
#include "jfr/schema_table.h"

void jfr_metadata_write(struct buffer *b, uint64_t ticks, uint32_t without);
/* Does the same with padding as the only event type, in some 200 bytes. It is for a chunk without content. */
void jfr_metadata_write_bare(struct buffer *b);

#endif
