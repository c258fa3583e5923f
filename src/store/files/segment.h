/* Reads and writes segments. A segment contains rows of samples as columns, in one file that never changes. Its stacks, threads and strings
 * are ids of one dictionary.
 *     "CANDSEG5" | u32 rows | u32 recordings | i64 first second | u32 strings, nodes, threads that the dictionary must have |
 *     u32 bytes of sums | u64 XXH3 of the 40 bytes before | column of recordings | sums | the other columns, in the order of
 *     enum segment_column (column.h)
 *
 * A row is the weight of one thread at one stack in one second of one recording. If many rows share few stacks, or few seconds, sums
 * over all rows come first in the file. A query for everything in a segment then reads only these sums:
 *
 *     columns: stacks, and weight, count, outcome, state and excess of each | seconds, and the weight of each   (the first of each with its
 *     count)
 *
 * The excess of a stack is what the sum of its rows' weight^2 / count has beyond the square of its weight by its count, as a part of the
 * latter, in units of 2^-16, rounded up. Without it, intervals would be too narrow where weights differ.
 *
 * The rows of a segment have weights of the same type. The sums cover all recordings of the segment, and all contexts.
 *
 * The column of weights has a number of bytes, then the lowest byte of each weight, then the next byte of each, and so on: the lowest are
 * noise, which zstd leaves as it is, and the highest are almost the same. If weights were rounded (segment_round), the lowest are zeros.
 *
 * Without the last column, contexts, the file begins with "CANDSEG6" if no row has labels, or with "CANDSEG4" if labels are unknown for all
 * rows. Earlier versions wrote "CANDSEG2", "CANDSEG3" and "CANDSEG1" instead: their weights are varints, and their sums have no excess. */
#ifndef CANDOR_STORE_FILES_SEGMENT_H
#define CANDOR_STORE_FILES_SEGMENT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum segment_column {
    SEGMENT_RECORDINGS, /* ids; the head has their number */
    SEGMENT_RECORDING,  /* for each row: the place of its recording in SEGMENT_RECORDINGS */
    SEGMENT_SECOND,     /* since the segment's first second */
    SEGMENT_WEIGHT,
    SEGMENT_STACK,
    SEGMENT_COUNT, /* number of samples */
    SEGMENT_THREAD,
    SEGMENT_OUTCOME, /* id of a string */
    SEGMENT_STATE,
    SEGMENT_CONTEXT, /* whose work it was (contexts.h) */
    SEGMENT_COLUMNS
};

enum {
    SEGMENT_ROWS_MAX = 32 << 20,
    SEGMENT_BYTES_MAX = 1 << 30,
    SEGMENT_SERIES = 1 << SEGMENT_RECORDING | 1 << SEGMENT_SECOND | 1 << SEGMENT_WEIGHT,
    SEGMENT_ALL = (1 << SEGMENT_COLUMNS) - 1,
    SEGMENT_SUMS = 1 << SEGMENT_COLUMNS, /* one more bit in a set of columns: the sums */
    SEGMENT_SUMS_ROWS = 4096,            /* the fewest rows that a segment with sums has */
    SEGMENT_SUMS_LEAST = 4,              /* the fewest rows per sum, on average; otherwise there are no sums */
};

struct segment_row {
    uint64_t weight;
    uint32_t recording; /* place in `recordings` */
    uint32_t second;    /* since `first` */
    uint32_t stack, count, thread, outcome;
    uint32_t context; /* CONTEXT_UNKNOWN, CONTEXT_NONE, or a higher number */
    uint8_t state;
};

struct segment_sum { /* the sum of a stack; outcome and state are those of its first row */
    uint64_t weight;
    double squares; /* the sum of weight^2 / count over its rows; of a file by an earlier version, the least that this can be */
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
    struct segment_sum *sums; /* sorted by stack; empty if there are only rows */
    uint32_t sum_count, sum_cap;
    struct segment_second *seconds; /* in order of time; empty if there are only rows */
    uint32_t second_count, second_cap;
    uint32_t strings, nodes, threads, contexts; /* how many of them the dictionary must have; contexts: CONTEXT_NONE included */
    bool has_contexts;                          /* when it was read: its rows have different contexts */
    uint32_t context;                           /* when it was read, without has_contexts: the context of all rows */
};

/* Sorts the rows, and adds up rows that differ only in weight and count. */
void segment_add_up(struct segment *s);
/* Does the same, computes the sums, and writes the file. If synced is set, the file is
 * on the disk when the function returns. Returns 0, or a code with a message in e. */
int segment_write(struct segment *s, const char *path, bool synced, struct error *e);
/* Reads the recordings and the given columns, a set of bits (1 << SEGMENT_..., SEGMENT_SUMS). Fields of other columns are 0. If the set has
 * no column of the rows, the function reads no rows, and their count is 0. It checks that ids are below `strings`, `nodes`, `threads`
 * and `contexts`. Returns 0, or a code with a message in e; -EBADMSG if the file is damaged. */
int segment_read(struct segment *s, const char *path, unsigned columns, struct error *e);
void segment_deinit(struct segment *s);

/* ---- segment_round.c ---- */

/* Sorts and adds up the rows, and rounds their weights to multiples of a power of two that is at most 1/16 of their median. What a row
 * lacks or has too much is carried on to the next, and the last rounded row takes the rest. So the sum of all rows stays exactly what it
 * was, and the sum of rows that are next to each other, such as those of one stack, changes by at most the step. Weights below a quarter
 * of the median, those that are counts of samples, and those that would take no less room, stay as they are. Call it once, for the rows
 * of one recording. */
void segment_round(struct segment *s);

/* ---- segment_sums.c ---- */

struct buffer;

/* Computes the sums from sorted rows. Returns 0 or -ENOMEM. */
int segment_sum_up(struct segment *s);
int segment_put_sums(struct buffer *out, struct buffer *plain, const struct segment *s);
/* Reads the sums from the bytes of their columns. excess: they have that column. Returns 0, -ENOMEM or -EBADMSG. */
int segment_read_sums(struct segment *s, const uint8_t *bytes, size_t size, bool excess);

#endif
