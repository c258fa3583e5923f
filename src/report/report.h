/* Prints the report on a profile: text for people, JSON for programs (docs/formats/report-json.md). Both functions only read the
 * profile. Write errors stay in the stream; the caller checks ferror. They return 0 or a negative code of calltree_build. */
#ifndef CANDOR_REPORT_REPORT_H
#define CANDOR_REPORT_REPORT_H

#include "profile/figures/leaks.h"
#include "profile/figures/stats.h"
#include "profile/known/idle.h"
#include "profile/locks.h"
#include "profile/profile.h"
#include "profile/sources/sources.h"
#include "regex/regex.h"

#include <stdio.h>

enum report_section {
    REPORT_METHODS = 1 << 0,
    REPORT_LINES = 1 << 1,
    REPORT_TREE = 1 << 2,
    REPORT_THREADS = 1 << 3,
    REPORT_BOOKS = 1 << 4,
    REPORT_CLASSES = 1 << 5,
    REPORT_PACKAGES = 1 << 6,
    REPORT_TYPES = 1 << 7,
    REPORT_GROUPS = REPORT_CLASSES | REPORT_PACKAGES | REPORT_TYPES, /* need stats_compute_groups */
    REPORT_BOTTOM_UP = 1 << 8,
};

struct report_options {
    unsigned sections; /* bits of enum report_section; the header is always printed */
    bool top_set;      /* false = each table of the text has its own default length, and JSON has all rows */
    uint32_t top;      /* rows per table, 0 = all */
    enum stats_order order;
    bool all_books;            /* books are not cut to a line, even if nothing in them needs an explanation */
    bool leaves_idle_out;      /* threads that wait for work are not in the tables of the kinds PROFILE_WALL and PROFILE_LOCK */
    const struct idle *idle;   /* the samples of idle threads that were left out; NULL = none were */
    bool each_thread;          /* threads of one pool do not share a row */
    double threshold;          /* branches of a tree with a smaller share are left out */
    struct stats *allocated;   /* a table with a row for each class of object, for the kinds PROFILE_ALLOC and PROFILE_LIVE; else NULL */
    const struct leaks *leaks; /* for the kind PROFILE_LIVE; else NULL */
    const struct locks *locks; /* for the kind PROFILE_LOCK; else NULL */
    const struct sources *sources;         /* source lines; NULL = they were not asked for */
    const char *label;                     /* the key of the label whose values are shown as a table (stats_compute_label); NULL = none */
    const struct regex *callers, *callees; /* print trees of the callers, or of the callees, of methods with such a name; NULL = none */
    unsigned width;                        /* columns of the terminal, 0 = no limit */
    bool colour;
};

int report_text(FILE *out, const struct profile *p, struct stats *s, const struct report_options *o);
int report_json(FILE *out, const struct profile *p, struct stats *s, const struct report_options *o);

#endif
