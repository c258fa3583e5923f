/* The cases of `candor verify`: programs whose CPU times are known (README.md), and what each of them tests in a profiler. */
#ifndef CANDOR_VERIFY_CASES_H
#define CANDOR_VERIFY_CASES_H

#include <stdbool.h>

enum verify_need {
    VERIFY_KERNEL = 1, /* part of its truth is spent in the kernel, which not every user may sample */
};

struct verify_case {
    const char *name;     /* on the command line, and for verify.Main */
    const char *title;    /* half a line */
    const char *question; /* an explanation of the case, and of how a profiler fails there, for readers without background */
    unsigned needs;       /* of enum verify_need */
};

/* In the order they run; ends with a row whose name is NULL. */
extern const struct verify_case verify_cases[];

/* NULL when there is none of that name. */
const struct verify_case *verify_case_find(const char *name);

#endif
