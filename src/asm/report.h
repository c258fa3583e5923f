/* Writes the report of `candor asm`: the hottest regions of machine code with their instructions, and tables of regions, methods and
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
    const struct regex *method; /* only regions with a matching name are listed; NULL = all */
    double threshold;           /* least share of a listed region; not used if `method` is set */
    uint32_t top;               /* largest number of rows in tables, and of listed regions; 0 = all */
    bool bytes;                 /* the listing includes the instructions' bytes */
    bool colour;
};

/* Both functions return 0 or -ENOMEM. */
int asm_text(FILE *out, const struct asm_report *a);
int asm_json(FILE *out, const struct asm_report *a);

/* Prints one region as asm_text does: its title, its instructions, its total. Returns 0 or -ENOMEM. */
int asm_region_text(FILE *out, const struct asm_report *a, const struct asm_region *region, uint32_t number);

/* ---- functions for both forms (report.c) ---- */

/* Whether the region is listed. */
bool asm_is_listed(const struct asm_report *a, const struct asm_region *region);
/* Writes the title of a region: that of its snapshot, or the function's name. Returns out. */
char *asm_region_title(const struct asm_report *a, const struct asm_region *region, char *out, size_t size);
/* Finds the lines of the region to be shown: sampled lines, and a few around them. */
void asm_stretch(const struct asm_listing *l, const struct asm_region *region, uint32_t *first, uint32_t *count);
/* Returns the line with most of the region's weight; UINT32_MAX = none. */
uint32_t asm_hottest(const struct asm_listing *l, const struct asm_region *region);
/* Writes facts about an instruction that are not in its text: the function that it calls, or that it is a safepoint poll or a card mark.
 * The result may be empty. */
char *asm_note(const struct asm_report *a, const struct asm_listing *l, uint32_t line, char *out, size_t size);
/* Counts the bytes of the sampled snapshots, and those that could not be decoded. Returns 0 or -ENOMEM. */
int asm_count_bytes(const struct asm_report *a, uint64_t *bytes, uint64_t *undecoded);
/* Reads the weight and the number of samples from the books. Returns false without books. */
bool asm_booked(const struct profile *p, uint64_t *ns, uint64_t *samples);
/* Makes the listing of the region's snapshot. Returns 0 or -ENOMEM. Call asm_listing_deinit in either case, and free *points. */
int asm_list(const struct asm_report *a, const struct asm_region *region, struct asm_listing *l, const struct asm_point ***points);
/* Whether the weights count an event instead of CPU time. */
bool asm_counts_events(const struct profile *p);
/* Returns "CPU time", or the event's name. */
const char *asm_whole(const struct profile *p);
/* Writes the measured quantity: "CPU time by the clock sigtrap", "cache-misses". Returns out. */
char *asm_event(const struct profile *p, char *out, size_t size);

#endif
