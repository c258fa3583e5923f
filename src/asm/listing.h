/* The code of a snapshot as instructions. It decodes linearly from the beginning. Bytes that are no instruction (data, or a
 * method's entry that was overwritten by a jump) are skipped one at a time. It restarts at the entry and at each sampled
 * address, where an instruction certainly begins. */
#ifndef CANDOR_ASM_LISTING_H
#define CANDOR_ASM_LISTING_H

#include "asm/decode.h"
#include "asm/regions.h"

#include <stdbool.h>
#include <stdint.h>

struct asm_line {
    uint32_t offset;
    bool decoded; /* else `instruction` says its size only */
    struct asm_instruction instruction;
    const struct asm_point *point; /* NULL = never sampled */
};

struct asm_listing {
    const struct asm_snapshot *snapshot;
    struct asm_line *lines;
    uint32_t count, cap;
    uint32_t undecoded; /* bytes */
};

/* points: all of the snapshot's, by offset; borrowed, as is the snapshot. 0 or -ENOMEM; to be deinited in either case. */
int asm_listing_make(struct asm_listing *l, struct asm_decoder *d, const struct asm_snapshot *s, const struct asm_point *const *points,
                     uint32_t point_count);
void asm_listing_deinit(struct asm_listing *l);
/* The line that contains this offset; otherwise the next line; l's line count if the offset is behind the last line. */
uint32_t asm_listing_find(const struct asm_listing *l, uint32_t offset);
/* The points of all regions of the snapshot (index + 1), by offset, for asm_listing_make; to be freed. NULL: out of memory. */
const struct asm_point **asm_listing_points(const struct asm_regions *s, uint32_t snapshot, uint32_t *count);

/* The line of the instruction for which the sampled one may have waited: a load or a slow instruction shortly before it that writes
 * its input, or else a slow instruction right before it. UINT32_MAX = none. */
uint32_t asm_listing_feeds(const struct asm_listing *l, uint32_t line);

#endif
