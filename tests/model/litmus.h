/* Litmus tests: programs of a few operations with known outcomes under RC11. */
#ifndef MODEL_LITMUS_H
#define MODEL_LITMUS_H

#include "explore.h"

struct litmus {
    struct explore_program program;
    const char *outcomes; /* all possible outcomes, each `r0 r1 ...` as digits, in ascending order */
    bool races;           /* the explorer must report a race instead */
    unsigned executions;  /* number of execution graphs; 0: not counted by hand */
};

extern const struct litmus litmus_tests[];
extern const unsigned litmus_count;

/* Forgets the outcomes seen. */
void litmus_reset(void);

/* The outcomes seen since the start, in the form of `outcomes`. */
const char *litmus_outcomes(void);

#endif
