/* Runs one program with known CPU times once, in a JVM that a tool records. */
#ifndef CANDOR_VERIFY_TRIAL_H
#define CANDOR_VERIFY_TRIAL_H

#include "verify/cases.h"
#include "verify/tool.h"
#include "verify/truth.h"

struct trial_setup {
    const char *java, *jar;
    const char *folder; /* a folder for the recording and other files */
    uint64_t interval_ns;
    double seconds;  /* approximate CPU time */
    uint32_t rounds; /* number of rounds in one JVM, one after the other */
};

/* Runs the program. truths: the truth of each round. The path of the recording is written to `recording` (PATH_MAX bytes). Returns 0; 1
 * if the program cannot run on this JVM, with the reason in e; or a negative errno with e, -EINTR if a signal asks this process to end. */
int trial_run(const struct trial_setup *setup, const struct verify_case *c, const struct tool *tool, struct truth *truths, char *recording,
              struct error *e);

#endif
