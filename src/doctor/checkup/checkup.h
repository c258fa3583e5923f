/* The doctor's findings: one row for each check, in the order of printing. Texts are cut to the size of their fields. They may contain
 * names that other processes chose, so the code that prints them replaces control characters (base/text/utf8.h). Single-threaded. */
#ifndef CANDOR_DOCTOR_CHECKUP_CHECKUP_H
#define CANDOR_DOCTOR_CHECKUP_CHECKUP_H

#include <stdbool.h>

enum check_level {
    CHECK_OK,
    CHECK_NOTE,    /* worth knowing */
    CHECK_WARNING, /* a profile is possible, but shows less than it could */
    CHECK_PROBLEM, /* no profile is possible */
    CHECK_LEVELS
};
extern const char *const check_levels[CHECK_LEVELS];

struct check {
    const char *group; /* "machine", "clocks", "jvm" */
    const char *name;  /* the check's name */
    enum check_level level;
    char found[256];
    char meaning[256]; /* may be empty */
    char remedy[256];  /* may be empty */
};

enum { CHECKS_MAX = 64 };

struct checkup {
    struct check rows[CHECKS_MAX];
    int count;
    const char *group; /* the group of the rows that are added next; the caller sets it */
};

/* Adds a row; name is a string literal. If there are CHECKS_MAX rows already, it overwrites the last one. */
void checkup_add(struct checkup *f, enum check_level level, const char *name, const char *found, ...) __attribute__((format(printf, 4, 5)));
/* Set the meaning and the remedy of the row that was added last. */
void checkup_meaning(struct checkup *f, const char *meaning, ...) __attribute__((format(printf, 2, 3)));
void checkup_remedy(struct checkup *f, const char *remedy, ...) __attribute__((format(printf, 2, 3)));
/* Returns the number of rows with this level. */
int checkup_of(const struct checkup *f, enum check_level level);

#endif
