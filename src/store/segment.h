/* A segment: rows of samples as columns, in one file that is never changed. Its stacks, threads and words are ids of one dictionary.
 *
 *     "CANDSEG1" | u32 rows | u32 recordings | i64 first second | u32 strings, nodes, threads that the dictionary must have |
 *     u32 zero | u64 XXH3 of the 40 bytes before | the columns, in the order of enum segment_column (column.h)
 *
 * A row is what one thread did in one second of one recording at one stack. */
#ifndef CANDOR_STORE_SEGMENT_H
#define CANDOR_STORE_SEGMENT_H

#include "base/error.h"

#include <stdint.h>

enum segment_column {
    SEGMENT_RECORDINGS, /* ids, ascending; how many the head says */
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
};
#define SEGMENT_ALL ((1u << SEGMENT_COLUMNS) - 1)

struct segment_row {
    uint64_t weight;
    uint32_t recording; /* place in `recordings` */
    uint32_t second;    /* since `first` */
    uint32_t stack, count, thread, outcome;
    uint8_t state;
};

struct segment {
    int64_t first; /* seconds since the epoch */
    uint64_t *recordings;
    uint32_t recording_count;
    struct segment_row *rows;
    uint32_t row_count, row_cap;
    uint32_t strings, nodes, threads;
};

/* Sorts the rows, adds up those that differ in weight and count only, and writes the file. 0 or a code with its line. */
int segment_write(struct segment *s, const char *path, struct error *e);
/* Reads the columns of a set of bits (1 << SEGMENT_...); the recordings always. Fields of others are 0. Ids are below what `strings`,
 * `nodes` and `threads` say. 0, or a code with its line: -EBADMSG when it is damaged. */
int segment_read(struct segment *s, const char *path, unsigned columns, struct error *e);
void segment_deinit(struct segment *s);

#endif
