/* Starts a recording in a JVM that is already running. */
#ifndef CANDOR_CLI_RECORD_BEGIN_H
#define CANDOR_CLI_RECORD_BEGIN_H

#include "cli/record/recording.h"
#include "cli/session.h"

/* Asks the agent to record to the file, which is open and is closed here, or removed where we made it and it was refused. CLI_OK, or
 * CLI_FAILED after saying why. */
int begin_recording(const struct session *s, struct recording *r);
/* After that, or after the agent's answer to a `start` of another's: where the recording is to replace another, waits until it holds
 * something, a second at most, and gives it its name. CLI_OK, or CLI_FAILED after saying why the other is still there. */
int begin_place(const struct session *s, struct recording *r);

#endif
