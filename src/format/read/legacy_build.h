/* Collects the addresses of a profile in a legacy format, and writes them as profile.proto, for legacy_read.c. Texts are not copied.
 *
 *   legacy_type... -> [legacy_address... -> legacy_sample]... -> legacy_mapping, legacy_name -> legacy_write -> legacy_deinit
 *
 * Functions that return int return 0 or -ENOMEM. */
#ifndef CANDOR_FORMAT_READ_LEGACY_BUILD_H
#define CANDOR_FORMAT_READ_LEGACY_BUILD_H

#include "base/buffer.h"
#include "base/map.h"
#include "format/read/lines.h"

enum { LEGACY_VALUES = 4 };

struct legacy_row {
    int64_t values[LEGACY_VALUES];
    int64_t block; /* bytes of an allocation; 0 = none */
    uint32_t first, count;
};

struct legacy_range {
    uint64_t start, end;
    struct span file;
};

/* A function at an address. At one address, inlined functions come first. */
struct legacy_place {
    uint64_t address;
    struct span function;
    uint64_t line;
    uint32_t run;   /* the number of the group of neighboring comments that names it */
    uint32_t order; /* position in the file */
};

struct legacy {
    const char *types[LEGACY_VALUES], *units[LEGACY_VALUES]; /* NULL after the last one */
    struct span type_name;                                   /* the file's own word, if the values are counts; else empty */
    const char *period_type, *period_unit;
    int64_t period, duration_ns;
    uint64_t *addresses; /* the addresses of all samples; each stack begins with the leaf */
    uint32_t address_count, address_cap;
    struct legacy_row *rows;
    uint32_t row_count, row_cap;
    struct legacy_range *ranges;
    uint32_t range_count, range_cap;
    struct legacy_place *places;
    uint32_t place_count, place_cap;
    struct map run_of;  /* address -> the first group of comments that names it */
    uint32_t pending;   /* number of addresses at the end that belong to no sample yet */
    uint64_t left_out;  /* number of lines that the format does not have */
    uint64_t discarded; /* number of samples that the profiled program itself dropped */
    bool is_of_java;    /* the file has contention in Java's variant, whose delays have other units, so it is not read */
};

int legacy_address(struct legacy *l, uint64_t address);
/* Adds a sample with the addresses that were added since the last sample. */
int legacy_sample(struct legacy *l, const struct legacy_row *row);
int legacy_name(struct legacy *l, uint64_t address, struct span function, uint64_t line);
/* Reads a line of a memory map. Other lines, and mappings that are not executable, are ignored. */
int legacy_mapping(struct legacy *l, struct span line);
/* Drops the second frame of samples if the profiler's signal handler added it. Such a frame is a copy of the leaf or, with `shared`, a
 * frame that almost all samples share. */
int legacy_strip(struct legacy *l, bool shared);
/* Writes the result as a pprof message (profile.proto). Failures are noted in the buffer. */
void legacy_write(struct legacy *l, struct buffer *out);
void legacy_deinit(struct legacy *l);

#endif
