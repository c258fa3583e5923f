/* The parts of the text report, for report_text. Each prints one section, or nothing if the section would be empty. */
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
void text_own(const struct text *t); /* the program's own code (text_own.c) */
void text_methods(const struct text *t);
void text_lines(const struct text *t);
void text_source(const struct text *t);  /* source lines with their costs (text_source.c) */
void text_groups(const struct text *t);  /* classes, packages, types */
void text_label(const struct text *t);   /* the values of the label that the options name */
void text_threads(const struct text *t); /* (text_threads.c) */
int text_trees(const struct text *t);    /* all trees that the options ask for; returns 0 or a code of calltree_build */
void text_books(const struct text *t);
void text_allocated(const struct text *t);         /* the classes of the allocated objects (text_allocated.c) */
void text_allocation_counts(const struct text *t); /* below the books of the event alloc: how the samples compare with the JVM's count */
void text_halt_books(const struct text *t);        /* the books of the event halt, after the other books */
void text_locks(const struct text *t);             /* deadlocks, and the locks that threads waited for (text_locks.c) */
void text_allocation_caveats(const struct text *t);
void text_live_header(const struct text *t);                           /* the amount of live objects (text_live.c) */
void text_leaks(const struct text *t);                                 /* objects that grow in number */
void text_holders(const struct text *t);                               /* the paths that hold live objects (text_holders.c) */
void text_first_holder(const struct text *t, const struct holders *h); /* the same in short, for one leak candidate */
void text_live_limits(const struct text *t); /* below the books of live objects: how many were watched, and how the heap was walked */
void text_healing(const struct text *t);     /* code that was compiled again (text_heal.c) */
void text_problems(const struct text *t);

/* ---- functions for all sections (text.c) ---- */

enum text_style { TEXT_PLAIN, TEXT_HEADING, TEXT_FAINT, TEXT_WARNING, TEXT_ERROR };

void text_begin(const struct text *t, enum text_style style);
void text_end(const struct text *t, enum text_style style);
void text_heading(const struct text *t, const char *title, const char *about);
/* Returns the name of the whole that shares refer to: "sampled CPU"; for the event safepoint "running time" or "waiting time". */
const char *text_whole(const struct text *t);
/* Writes a number such as "1,234,567". Returns out. */
char *text_count(char *out, size_t size, uint64_t n);
/* Prints the accounts of a book: a heading, a line for each account, their reasons, and the notes that a reader needs (text_account.c). */
void text_accounts(const struct text *t, enum book book);
/* Writes a signed duration. Returns out. */
char *text_time(char *out, size_t size, int64_t ns);
/* Writes a weight in the profile's unit: "1.25 s", or "1,250" samples. Returns out. */
char *text_weight(char *out, size_t size, const struct profile *p, uint64_t weight);
/* Prints "(t 71.2,s 70.3) ". wide_total, wide_self: leave room for a figure of 100.0 in that column. */
void text_shares(const struct text *t, double total, double self, bool wide_total, bool wide_self);
/* Prints "[69.1..71.5] ", padded to the width of its column. */
void text_interval(const struct text *t, struct interval i, bool wide);
/* Prints the name of a row that represents a class, a package or a type. */
void text_plain_name(const struct text *t, const char *name);
/* Prints a frame's name, and then tail. The name is shortened if the terminal is too narrow or the name is very long. used: the columns
 * before the name. */
void text_name(const struct text *t, uint32_t label, size_t used, const char *tail);
/* Prints the name of a row of methods. If its code is not the program's, the own method that calls it most follows, with its share of
 * the row: "java.util.HashMap.get < shop.Cart.total (80 %)". mark: the note after the name. */
void text_method_name(const struct text *t, const struct stats_row *r, size_t used, const char *mark);
/* Whether a row with this figure is worth a line: its share is not printed as 0.0 %, or the user asked for a number of rows. */
bool text_is_shown(const struct text *t, const struct stats_figure *f);
/* Prints the sum of the rows of a table that are not shown; count = 0: nothing. what: what the rows are, in the plural. */
void text_rest(const struct text *t, uint32_t count, uint64_t weight, const char *what);
/* Returns the note after the name of a frame of this type. Kernel frames have such a note, because their names look like those of the
 * program's functions. */
const char *text_mark(uint8_t type);
/* Whether the share is printed as 100.0 %. */
bool text_is_full(double share);

#endif
