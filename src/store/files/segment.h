/* A segment: rows of samples as columns, in one file that is never changed. Its stacks, threads and words are ids of one dictionary.
 *
 *     "CANDSEG1" | u32 rows | u32 recordings | i64 first second | u32 strings, nodes, threads that the dictionary must have |
 *     u32 bytes of sums | u64 XXH3 of the 40 bytes before | column of recordings | sums | the other columns, in the order of
 *     enum segment_column (column.h)
 *
 * A row is what one thread did in one second of one recording at one stack. If many rows share few stacks, or seconds, the sums
 * over all of them come first, so that a query for all of a segment reads only these:
 *
 *     columns: stacks, weight, count, outcome, state of each | seconds, weight of each           (the first of each with its count)
 *
 * Sums cover rows whose weights have the same type, and all recordings of the segment. */
#ifndef CANDOR_STORE_FILES_SEGMENT_H
#define CANDOR_STORE_FILES_SEGMENT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum segment_column {
    SEGMENT_RECORDINGS, /* ids; how many the head says */
    SEGMENT_RECORDING,  /* of each row: which of these */
    SEGMENT_SECOND,     /* since the first */
    SEGMENT_WEIGHT,
    SEGMENT_STACK,
    SEGMENT_COUNT, /* of samples */
    SEGMENT_THREAD,
    SEGMENT_OUTCOME, /* a string */
    SEGMENT_STATE,
    SEGMENT_COLUMNS
};

enum {
    SEGMENT_ROWS_MAX = 32 << 20,
    SEGMENT_BYTES_MAX = 1 << 30,
    SEGMENT_SERIES = 1 << SEGMENT_RECORDING | 1 << SEGMENT_SECOND | 1 << SEGMENT_WEIGHT,
    SEGMENT_ALL = (1 << SEGMENT_COLUMNS) - 1,
    SEGMENT_SUMS = 1 << SEGMENT_COLUMNS, /* as if a column: the sums */
    SEGMENT_SUMS_ROWS = 4096,            /* rows that a segment with sums has at least */
    SEGMENT_SUMS_LEAST = 4,              /* rows of a sum, on average; else there are none */
};

struct segment_row {
    uint64_t weight;
    uint32_t recording; /* place in `recordings` */
    uint32_t second;    /* since `first` */
    uint32_t stack, count, thread, outcome;
    uint8_t state;
};

struct segment_sum { /* of a stack; outcome and state are those of its first row */
    uint64_t weight;
    uint32_t stack, count, outcome;
    uint8_t state;
};

struct segment_second {
    uint64_t weight;
    uint32_t second;
};

struct segment {
    int64_t first; /* seconds since the epoch */
    uint64_t *recordings;
    uint32_t recording_count;
    struct segment_row *rows;
    uint32_t row_count, row_cap;
    struct segment_sum *sums; /* by stack; none: there are rows only */
    uint32_t sum_count, sum_cap;
    struct segment_second *seconds; /* in order; none: there are rows only */
    uint32_t second_count, second_cap;
    uint32_t strings, nodes, threads;
};

/* Sorts the rows, adds up those that differ in weight and count only, sums them up, and writes the file; synced: it is on the disk then.
 * 0 or a code with its line. */
int segment_write(struct segment *s, const char *path, bool synced, struct error *e);
/* Reads the recordings, and the columns in a set of bits (1 << SEGMENT_..., SEGMENT_SUMS). Fields of other columns are 0. If the set
 * has no column of the rows, no rows are read, and their count is 0. Ids are below `strings`, `nodes` and `threads`. 0, or a code
 * with its line: -EBADMSG when it is damaged. */
int segment_read(struct segment *s, const char *path, unsigned columns, struct error *e);
void segment_deinit(struct segment *s);

/* ---- segment_sums.c ---- */

struct buffer;

/* From sorted rows. 0 or -ENOMEM. */
int segment_sum_up(struct segment *s);
int segment_put_sums(struct buffer *out, struct buffer *plain, const struct segment *s);
/* Reads the sums from the bytes of their column. 0, -ENOMEM or -EBADMSG. */
int segment_read_sums(struct segment *s, const uint8_t *bytes, size_t size);

#endif
