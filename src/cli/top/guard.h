/* Starts a child process that cleans up if candor is killed: it ends the recording in the JVM and removes its file. */
#ifndef CANDOR_CLI_TOP_GUARD_H
#define CANDOR_CLI_TOP_GUARD_H

#include "cli/session.h"

struct guard {
    pid_t pid; /* 0 = none */
    int pipe;
};

/* Starts a process that guards the recording that the JVM writes to this file. id: the recording's number, or 0. remove: the guard must
 * also remove the file. If no process can be started, nothing is guarded. */
void guard_begin(struct guard *g, const struct session *s, const char *file, uint64_t id, bool remove);
/* Ends the guard when it is not needed any more. */
void guard_end(struct guard *g);

#endif
