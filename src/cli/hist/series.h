/* The intervals of histogram logs, from one machine or several: read whole, kept in their encoded form, merged tag by tag. */
#ifndef CANDOR_CLI_HIST_SERIES_H
#define CANDOR_CLI_HIST_SERIES_H

#include "base/error.h"
#include "candor/histogram.h"

#include <stdbool.h>
#include <stdint.h>

struct hist_entry {
    uint32_t tag;
    double start, length; /* s; start counted from `series.start` */
    char *payload;
};

struct hist_series {
    struct hist_entry *entries; /* by start once series_sort has run */
    uint32_t count, cap;
    char **tags; /* "" = none; in the order of their first interval */
    uint32_t tag_count, tag_cap;
    double start;   /* s since 1970 of the first interval, or 0 where no log says */
    double end;     /* s from start to the end of the last interval */
    int64_t lowest; /* finest of all histograms */
    int digits;
    uint32_t problems; /* lines that could not be read */
    char first_problem[512];
};

struct hist_choice {
    double from, to;  /* s from the first interval: intervals that start in [from, to) */
    const char *only; /* tags to take, with commas; NULL: all */
    bool ignore_tags; /* all as if they had none */
    bool relative;    /* each log starts at 0, whatever its clock said */
    double ratio;     /* of the values in .hgrm files */
};

void series_init(struct hist_series *s);
void series_deinit(struct hist_series *s);
/* Adds a log, or a .hgrm file as one interval; `prefix` (or NULL) goes before its tags as "prefix::tag". Damaged lines are
 * counted and passed over. 0, or a negative code when it cannot be opened or no memory is left. */
int series_read(struct hist_series *s, const char *path, const char *prefix, const struct hist_choice *choice, struct error *e);
/* Call it when all files are read: sorts the intervals by time, and drops those that the choice leaves out. Times count from the
 * first. */
void series_sort(struct hist_series *s, const struct hist_choice *choice);

/* Called with the sum of one tag over a window. `start` and `length` in s. A result other than 0 ends the walk. */
typedef int (*series_visit)(void *context, uint32_t tag, double start, double length, const struct candor_histogram *h);
/* Visits the sum of each tag over windows of `window` s, in order of time. INFINITY: one window for everything; 0: a window for all
 * intervals with the same start. 0, what visit returned, or a negative code. */
int series_windows(const struct hist_series *s, double window, series_visit visit, void *context);
/* A histogram wide and fine enough for all. 0 or -ENOMEM. */
int series_histogram(const struct hist_series *s, struct candor_histogram *h);

#endif
