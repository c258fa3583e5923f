/* What the doctor found: one row per check, in the order of printing. Texts are cut to their fields; they may hold names
 * that other processes chose, so whoever prints them filters (base/utf8.h). Single-threaded. */
#ifndef CANDOR_DOCTOR_FINDINGS_H
#define CANDOR_DOCTOR_FINDINGS_H

#include <stdbool.h>

enum finding_level {
    FINDING_OK,
    FINDING_NOTE,    /* good to know */
    FINDING_WARNING, /* a profile can be had, but it shows less than it could */
    FINDING_PROBLEM, /* no profile can be had */
    FINDING_LEVELS
};
extern const char *const finding_levels[FINDING_LEVELS];

struct finding {
    const char *group; /* "machine", "clocks", "jvm" */
    const char *name;  /* of the check */
    enum finding_level level;
    char found[256];
    char meaning[256]; /* may be empty */
    char remedy[256];  /* may be empty */
};

enum { FINDINGS_MAX = 64 };

struct findings {
    struct finding rows[FINDINGS_MAX];
    int count;
    const char *group; /* of the rows to come; set by the caller */
};

/* Adds a row; name is a literal. Rows beyond FINDINGS_MAX overwrite the last one. */
void findings_add(struct findings *f, enum finding_level level, const char *name, const char *found, ...)
    __attribute__((format(printf, 4, 5)));
/* Completes the row added last. */
void findings_meaning(struct findings *f, const char *meaning, ...) __attribute__((format(printf, 2, 3)));
void findings_remedy(struct findings *f, const char *remedy, ...) __attribute__((format(printf, 2, 3)));
/* Rows of this level. */
int findings_of(const struct findings *f, enum finding_level level);

#endif
