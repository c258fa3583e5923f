/* Roll-ups: the sums of the rows of one service, day and type, by hour or for the day, by stack and by label set. They are made from rows
 * when an hour or a day is over (../rollup_make.c), answer for long ranges, and stay when the rows are deleted.
 *
 * A roll-up has a summary, which the catalog keeps, and one file for each dictionary that the day's rows refer to:
 *
 *     segments/DICTIONARY/NUMBER.roll
 *     "CANDROL1" | u32 rows | u32 groups | u32 strings, nodes, threads, contexts that the dictionary must have | u32 step | u32 0 |
 *     i64 first second | u64 recordings | u64 XXH3 of the 56 bytes before |
 *     columns: slot, group, stack, context, outcome, state, weight, count, squares (column.h)
 *
 * A group is a label set: its number is its place in the summary's list. A slot is an hour of the day, or the day (slot 0). A file never
 * changes; a roll-up that covers more hours has new files. */
#ifndef CANDOR_STORE_ROLLUP_ROLLUP_H
#define CANDOR_STORE_ROLLUP_ROLLUP_H

#include "base/error.h"
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROLLUP_HOUR = 3600, ROLLUP_DAY = 86400, ROLLUP_SLOTS = 24 };

/* ---- the summary: rollup_summary.c ---- */

/* What a label set has in one slot. */
struct rollup_slot {
    uint32_t group, slot;
    uint64_t rows, weight; /* rows: as they were in segments */
    uint64_t recordings;   /* those that lie within the slot and are not in `longs` */
    uint64_t seconds;      /* the time that these cover */
    int64_t begun, ended;  /* the time that all recordings with samples in the slot cover, also those in `longs`; in seconds */
};

/* A recording that is counted by itself: one that does not lie within a slot, that was damaged when it came, or that is lost. */
struct rollup_long {
    uint64_t recording;
    uint32_t group, first, last; /* first, last: slots */
    bool flawed;
    bool lost;             /* its rows are not in the roll-up, because they were lost before it was made */
    uint64_t rows, weight; /* of the whole part */
    int64_t begun, ended;
};

struct rollup_summary {
    uint64_t *labelsets; /* by group */
    uint32_t group_count, group_cap;
    struct rollup_slot *slots; /* sorted by slot, then by group */
    uint32_t slot_count, slot_cap;
    struct rollup_long *longs;
    uint32_t long_count, long_cap;
    struct map groups, places; /* for finding: labelset -> group, (group, slot) -> place in `slots` of what rollup_slot added */
};

struct buffer;

/* Appends the summary as the catalog keeps it. Returns 0 or -ENOMEM. */
int rollup_summary_write(const struct rollup_summary *m, struct buffer *out);
/* Reads a summary. Returns 0, -ENOMEM or -EBADMSG. Call rollup_summary_deinit in each case. */
int rollup_summary_read(struct rollup_summary *m, const void *bytes, size_t size);
void rollup_summary_deinit(struct rollup_summary *m);
/* Finds the group of a label set, and adds it if it is new. Returns 0 or -ENOMEM. */
int rollup_group(struct rollup_summary *m, uint64_t labelset, uint32_t *group);
/* Finds a slot of a group that an earlier call has added, or adds it. Returns NULL if there is no memory. Call rollup_summary_sort after
 * the last one. */
struct rollup_slot *rollup_slot(struct rollup_summary *m, uint32_t group, uint32_t slot);
void rollup_summary_sort(struct rollup_summary *m);
/* Adds up an hour roll-up's slots to the one of its day. first: the day's first second. Returns 0 or -ENOMEM. */
int rollup_summary_of_day(struct rollup_summary *day, const struct rollup_summary *hours, int64_t first);

/* ---- files: rollup_file.c ---- */

struct rollup_row {
    uint64_t weight;
    double squares; /* the sum of weight^2 / count over the rows of segments */
    uint32_t stack, group, count, outcome;
    uint32_t context; /* as in struct segment_row */
    uint8_t slot, state;
};

struct rollup_file {
    int64_t first;           /* of the day, in seconds since the epoch */
    uint32_t step;           /* ROLLUP_HOUR or ROLLUP_DAY */
    uint32_t groups;         /* the groups of rows are below it */
    uint64_t recordings;     /* with rows in the roll-up */
    struct rollup_row *rows; /* sorted by slot, group, stack, context, outcome and state */
    uint32_t row_count, row_cap;
    uint32_t strings, nodes, threads, contexts;
};

/* Sorts the rows, and adds up those that differ only in their sums. Two rows stay apart if a sum would not fit. */
void rollup_add_up(struct rollup_file *f);
/* Adds up and writes the file, and returns when it is on the disk. Returns 0, or a code with a message in e. */
int rollup_write(struct rollup_file *f, const char *path, struct error *e);
/* Reads the file; checks that ids are below `strings`, `nodes` and `contexts`. Returns 0, or a code with a message in e; -EBADMSG if the
 * file is damaged. After a failure there is nothing to free. */
int rollup_read(struct rollup_file *f, const char *path, struct error *e);
void rollup_file_deinit(struct rollup_file *f);

#endif
