/* One program with known CPU times, run once in a JVM that a tool records. */
#ifndef CANDOR_VERIFY_TRIAL_H
#define CANDOR_VERIFY_TRIAL_H

#include "verify/cases.h"
#include "verify/tool.h"
#include "verify/truth.h"

struct trial_setup {
    const char *java, *jar;
    const char *folder; /* for the recording and what else there is to write */
    uint64_t interval_ns;
    double seconds;  /* of CPU time, about */
    uint32_t rounds; /* in one JVM, after each other */
};

/* truths: of each round. Leaves the recording at `recording` (PATH_MAX bytes). 0; 1 when the program cannot run on this JVM, with the
 * reason in e; a negative errno with e, -EINTR when a signal wants us to end. */
int trial_run(const struct trial_setup *setup, const struct verify_case *c, const struct tool *tool, struct truth *truths, char *recording,
              struct error *e);

#endif
