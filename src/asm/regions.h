/* Groups the samples by place: regions of code, the methods that contain them, and the sources of the code. Each sample is in exactly
 * one region, one method and one source, so that each of the three adds up to all samples.
 *
 * A region is code of one snapshot in which no gap between two sampled addresses exceeds ASM_REGION_GAP. Without a snapshot, a region is
 * a whole function. */
#ifndef CANDOR_ASM_REGIONS_H
#define CANDOR_ASM_REGIONS_H

#include "asm/code.h"
#include "profile/figures/stats.h"

#include <stdint.h>

enum { ASM_REGION_GAP = 64 }; /* bytes */

struct asm_figure {
    uint64_t weight; /* ns */
    uint32_t samples;
    double share; /* share of the weight of all samples */
    struct interval interval;
};

struct asm_point {   /* a sampled address */
    uint32_t offset; /* offset in the snapshot */
    struct asm_figure figure;
};

struct asm_region {
    uint32_t snapshot;     /* index + 1; 0 = none */
    uint32_t source, name; /* string ids */
    uint32_t begin, end;   /* the first and the last sampled offset */
    uint32_t first, count; /* the range of its points */
    struct asm_figure figure;
};

struct asm_group {
    uint32_t source, name; /* string ids; name is 0 if the group is a source */
    uint32_t regions;
    struct asm_figure figure;
};

struct asm_regions {
    struct asm_region *regions; /* sorted by weight, largest first, as are the next two */
    uint32_t count, cap;
    struct asm_group *methods, *sources;
    uint32_t method_count, source_count;
    struct asm_point *points; /* grouped by region, sorted by offset */
    uint32_t point_count, point_cap;
    struct asm_figure all;
    double effective; /* effective sample size */
};

/* Builds the regions. Adds strings to r. Returns 0 or -ENOMEM. Call asm_regions_deinit in either case. */
int asm_regions_build(struct asm_regions *out, struct asm_recording *r);
void asm_regions_deinit(struct asm_regions *s);

#endif
