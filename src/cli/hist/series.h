/* The intervals of histogram logs from one or several machines. The logs are read completely, kept in their encoded form, and merged for
 * each tag. */
#ifndef CANDOR_CLI_HIST_SERIES_H
#define CANDOR_CLI_HIST_SERIES_H

#include "base/error.h"
#include "candor/histogram.h"

#include <stdbool.h>
#include <stdint.h>

struct hist_entry {
    uint32_t tag;
    double start, length; /* s; start is relative to `series.start` */
    char *payload;
};

struct hist_series {
    struct hist_entry *entries; /* sorted by start after series_sort */
    uint32_t count, cap;
    char **tags; /* "" = none; in the order of their first interval */
    uint32_t tag_count, tag_cap;
    double start;   /* start of the first interval in s since 1970, or 0 if no log has it */
    double end;     /* s from start to the end of the last interval */
    int64_t lowest; /* the finest resolution of all histograms: the lowest value that is distinguished, and the significant digits */
    int digits;
    uint32_t problems; /* lines that could not be read */
    char first_problem[512];
};

struct hist_choice {
    double from, to;  /* s after the first interval; an interval is used if it starts in [from, to) */
    const char *only; /* tags to use, separated by commas; NULL = all */
    bool ignore_tags; /* treat all intervals as if they had no tag */
    bool relative;    /* each log starts at 0, whatever its absolute times are */
    double ratio;     /* the factor by which values in .hgrm files were divided */
};

void series_init(struct hist_series *s);
void series_deinit(struct hist_series *s);
/* Adds a log, or a .hgrm file as one interval. If `prefix` is not NULL, its tags become "prefix::tag". Damaged lines are counted and
 * skipped. Returns 0, or a negative code if the file cannot be opened or memory is exhausted. */
int series_read(struct hist_series *s, const char *path, const char *prefix, const struct hist_choice *choice, struct error *e);
/* Sorts the intervals by time, and drops those that the choice excludes. Times are then relative to the first interval. Call it after
 * all files have been read. */
void series_sort(struct hist_series *s, const struct hist_choice *choice);

/* A function that receives the sum of one tag over a window. `start` and `length` are in s. A result other than 0 ends the walk. */
typedef int (*series_visit)(void *context, uint32_t tag, double start, double length, const struct candor_histogram *h);
/* Visits the sum of each tag over windows of `window` s, in order of time. INFINITY: one window for everything. 0: a window for all
 * intervals with the same start. Returns 0, the result of `visit` that ended the walk, or a negative code. */
int series_windows(const struct hist_series *s, double window, series_visit visit, void *context);
/* Creates a histogram whose range and resolution are sufficient for all intervals. Returns 0 or -ENOMEM. */
int series_histogram(const struct hist_series *s, struct candor_histogram *h);

#endif
