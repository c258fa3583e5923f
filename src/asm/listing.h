/* Decodes the code of a snapshot into instructions. Decoding is linear from the beginning. Bytes that are not an instruction (data, or a
 * method's entry that was overwritten by a jump) are skipped one at a time. Decoding restarts at the entry and at each sampled address,
 * where an instruction certainly begins. */
#ifndef CANDOR_ASM_LISTING_H
#define CANDOR_ASM_LISTING_H

#include "asm/decode.h"
#include "asm/regions.h"

#include <stdbool.h>
#include <stdint.h>

struct asm_line {
    uint32_t offset;
    bool decoded; /* otherwise only the size of `instruction` is valid */
    struct asm_instruction instruction;
    const struct asm_point *point; /* NULL = never sampled */
};

struct asm_listing {
    const struct asm_snapshot *snapshot;
    struct asm_line *lines;
    uint32_t count, cap;
    uint32_t undecoded; /* number of bytes that were not decoded */
};

/* Makes a listing. points: all points of the snapshot, sorted by offset; they are borrowed, as is the snapshot. Returns 0 or -ENOMEM.
 * Call asm_listing_deinit in either case. */
int asm_listing_make(struct asm_listing *l, struct asm_decoder *d, const struct asm_snapshot *s, const struct asm_point *const *points,
                     uint32_t point_count);
void asm_listing_deinit(struct asm_listing *l);
/* Returns the line that contains this offset; otherwise the next line; l's line count if the offset is after the last line. */
uint32_t asm_listing_find(const struct asm_listing *l, uint32_t offset);
/* Returns the points of all regions of the snapshot (index + 1), sorted by offset, for asm_listing_make. The caller frees the list.
 * NULL: out of memory. */
const struct asm_point **asm_listing_points(const struct asm_regions *s, uint32_t snapshot, uint32_t *count);

/* Returns the line of the instruction for which the sampled instruction may have waited: a load or a slow instruction shortly before it
 * that writes its input, or else a slow instruction right before it. UINT32_MAX = none. */
uint32_t asm_listing_feeds(const struct asm_listing *l, uint32_t line);

#endif
