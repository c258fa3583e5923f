/* A profile of addresses on its way from a legacy format to profile.proto; the inside of legacy_read.c. Texts are borrowed.
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

/* A function at an address; inlined ones come first. */
struct legacy_place {
    uint64_t address;
    struct span function;
    uint64_t line;
    uint32_t run;   /* which group of neighboring comments it is from */
    uint32_t order; /* in the file */
};

struct legacy {
    const char *types[LEGACY_VALUES], *units[LEGACY_VALUES]; /* NULL behind the last */
    struct span type_name;                                   /* of a count: the file's own word; else empty */
    const char *period_type, *period_unit;
    int64_t period, duration_ns;
    uint64_t *addresses; /* of all samples, from the leaf */
    uint32_t address_count, address_cap;
    struct legacy_row *rows;
    uint32_t row_count, row_cap;
    struct legacy_range *ranges;
    uint32_t range_count, range_cap;
    struct legacy_place *places;
    uint32_t place_count, place_cap;
    struct map run_of;  /* address -> the group of comments that named it first */
    uint32_t pending;   /* addresses that belong to no sample yet */
    uint64_t left_out;  /* lines that are none of the format's */
    uint64_t discarded; /* samples that the profiled program itself dropped */
    bool is_of_java;    /* contention in a dialect whose delays are in other units, which is not read */
};

int legacy_address(struct legacy *l, uint64_t address);
/* Adds a sample of the addresses that were given since the last sample. */
int legacy_sample(struct legacy *l, const struct legacy_row *row);
int legacy_name(struct legacy *l, uint64_t address, struct span function, uint64_t line);
/* Takes a line of a memory map. Other lines, and mappings that are not executable, are ignored. */
int legacy_mapping(struct legacy *l, struct span line);
/* Drops the second frame of samples if the profiler's signal handler added it: a copy of the leaf or, with `shared`, a frame that
 * almost all samples share. */
int legacy_strip(struct legacy *l, bool shared);
/* Writes the result as a pprof message (profile.proto). Failures stay in the buffer. */
void legacy_write(struct legacy *l, struct buffer *out);
void legacy_deinit(struct legacy *l);

#endif
