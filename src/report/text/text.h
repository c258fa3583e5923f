/* The parts of the text report; the inside of report_text. Each prints one section, or nothing if it would be empty. */
#ifndef CANDOR_REPORT_TEXT_TEXT_H
#define CANDOR_REPORT_TEXT_TEXT_H

#include "base/agreed/accounts.h"
#include "report/report.h"

struct text {
    FILE *out;
    const struct profile *p;
    struct stats *s;
    const struct report_options *o;
};

void text_header(const struct text *t);
void text_methods(const struct text *t);
void text_lines(const struct text *t);
void text_groups(const struct text *t); /* classes, packages, types */
void text_label(const struct text *t);  /* what the label that is asked for says */
void text_threads(const struct text *t);
int text_trees(const struct text *t); /* all that are asked for; 0 or a code of calltree_build */
void text_books(const struct text *t);
void text_allocated(const struct text *t);         /* the classes of what was allocated (text_allocated.c), */
void text_allocation_counts(const struct text *t); /* and below its books, how they compare with the JVM's count */
void text_halt_books(const struct text *t);        /* of the event halt, beside the others */
void text_locks(const struct text *t);             /* deadlocks, and the locks that were waited for (text_locks.c) */
void text_allocation_caveats(const struct text *t);
void text_live_header(const struct text *t);                           /* how much is alive (text_live.c), */
void text_leaks(const struct text *t);                                 /* what grows, */
void text_holders(const struct text *t);                               /* who holds it (text_holders.c), */
void text_first_holder(const struct text *t, const struct holders *h); /* in the lines of one candidate, */
void text_live_limits(const struct text *t); /* and below its books, how many were watched, and how the heap was walked */
void text_healing(const struct text *t);     /* code that was compiled anew (text_heal.c) */
void text_problems(const struct text *t);

/* ---- what the sections share (text.c) ---- */

enum text_style { TEXT_PLAIN, TEXT_HEADING, TEXT_FAINT, TEXT_WARNING, TEXT_ERROR };

void text_begin(const struct text *t, enum text_style style);
void text_end(const struct text *t, enum text_style style);
void text_heading(const struct text *t, const char *title, const char *about);
/* The name of the whole of which the shares are parts: "sampled CPU"; for the event safepoint "running time" or "waiting time". */
const char *text_whole(const struct text *t);
/* "1,234,567". Returns out. */
char *text_count(char *out, size_t size, uint64_t n);
/* The accounts of a book: a head, a line for each, their reasons, and what a reader must know. (text_account.c) */
void text_accounts(const struct text *t, enum book book);
/* Signed duration. Returns out. */
char *text_time(char *out, size_t size, int64_t ns);
/* A weight in the profile's unit: "1.25 s", or "1,250" samples. Returns out. */
char *text_weight(char *out, size_t size, const struct profile *p, uint64_t weight);
/* "(t 71.2,s 70.3) "; wide = a figure of 100.0 may stand in the same column. */
void text_shares(const struct text *t, double total, double self, bool wide_total, bool wide_self);
/* "[69.1..71.5] ", filled to its column. */
void text_interval(const struct text *t, struct interval i, bool wide);
/* The name of a row that stands for a class, a package or a type. */
void text_plain_name(const struct text *t, const char *name);
/* Prints a frame's name, shortened if the terminal is too narrow or the name is very long, and then tail. used = columns before the
 * name. */
void text_name(const struct text *t, uint32_t label, size_t used, const char *tail);
/* The note after the name of a frame of this type. It marks kernel frames, because their names look like those of the program's
 * functions. */
const char *text_mark(uint8_t type);
/* True for a share that is printed as 100.0 %. */
bool text_is_full(double share);

#endif
