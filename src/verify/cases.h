/* The cases of `candor verify`: programs with known CPU times (README.md), and the property of a profiler that each program tests. */
#ifndef CANDOR_VERIFY_CASES_H
#define CANDOR_VERIFY_CASES_H

#include <stdbool.h>

enum verify_need {
    VERIFY_KERNEL = 1, /* part of its CPU time is in the kernel, which not every user may sample */
};

struct verify_case {
    const char *name;     /* the case's name on the command line, and for verify.Main */
    const char *title;    /* a title of half a line */
    const char *question; /* an explanation of the case, and of the way in which a profiler fails it, for readers without background */
    unsigned needs;       /* bits of enum verify_need */
};

/* The cases in the order in which they run. The last row has the name NULL. */
extern const struct verify_case verify_cases[];

/* Returns the case with that name; NULL if there is none. */
const struct verify_case *verify_case_find(const char *name);

#endif
