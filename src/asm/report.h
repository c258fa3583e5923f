/* The report of `candor asm`: the hottest regions of machine code with their instructions, tables of regions, methods and
 * sources. It uses the terms of JMH's perfasm. docs/formats/asm-json.md describes the JSON. */
#ifndef CANDOR_ASM_REPORT_H
#define CANDOR_ASM_REPORT_H

#include "asm/code.h"
#include "asm/decode.h"
#include "asm/listing.h"
#include "asm/regions.h"
#include "profile/profile.h"
#include "regex/regex.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { ASM_FEW_SAMPLES = 1000, ASM_MARGIN_LINES = 10, ASM_LINES_MAX = 1000 };

struct asm_report {
    const char *file;
    const struct asm_recording *recording;
    const struct asm_regions *regions;
    const struct profile *profile; /* settings and books of the same recording */
    struct asm_decoder *decoder;
    const struct regex *method; /* only regions with such a name are listed; NULL = all */
    double threshold;           /* share from which on a region is listed; not where a method is asked for */
    uint32_t top;               /* rows of tables, and listed regions at most; 0 = all */
    bool bytes;                 /* with the instructions' bytes */
    bool colour;
};

/* 0 or -ENOMEM. */
int asm_text(FILE *out, const struct asm_report *a);
int asm_json(FILE *out, const struct asm_report *a);

/* Prints one region as asm_text does: its title, its instructions, its total. 0 or -ENOMEM. */
int asm_region_text(FILE *out, const struct asm_report *a, const struct asm_region *region, uint32_t number);

/* ---- what both share (report.c) ---- */

/* Whether the region is to be listed. */
bool asm_is_listed(const struct asm_report *a, const struct asm_region *region);
/* The title of a region: that of its snapshot, or the function's name. Returns out. */
char *asm_region_title(const struct asm_report *a, const struct asm_region *region, char *out, size_t size);
/* The lines to be shown of the region: sampled ones, and a few around. */
void asm_stretch(const struct asm_listing *l, const struct asm_region *region, uint32_t *first, uint32_t *count);
/* The line with most of the region's weight; UINT32_MAX = none. */
uint32_t asm_hottest(const struct asm_listing *l, const struct asm_region *region);
/* Facts about an instruction beside its text: the function that it calls, that it is a safepoint poll or a card mark. May be
 * empty. */
char *asm_note(const struct asm_report *a, const struct asm_listing *l, uint32_t line, char *out, size_t size);
/* Counts the bytes of the sampled snapshots, and those of them that could not be decoded. 0 or -ENOMEM. */
int asm_count_bytes(const struct asm_report *a, uint64_t *bytes, uint64_t *undecoded);
/* The weight and the number of samples by the books. False without books. */
bool asm_booked(const struct profile *p, uint64_t *ns, uint64_t *samples);
/* The listing of the region's snapshot. 0 or -ENOMEM; to be deinited in either case. *points is to be freed. */
int asm_list(const struct asm_report *a, const struct asm_region *region, struct asm_listing *l, const struct asm_point ***points);
/* Whether the weights count an event instead of CPU time. */
bool asm_counts_events(const struct profile *p);
/* "CPU time", or the event's name. */
const char *asm_whole(const struct profile *p);
/* "CPU time by the clock sigtrap", "cache-misses". Returns out. */
char *asm_event(const struct profile *p, char *out, size_t size);

#endif
