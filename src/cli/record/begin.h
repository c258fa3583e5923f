/* Beginning a recording in a JVM that runs already. */
#ifndef CANDOR_CLI_RECORD_BEGIN_H
#define CANDOR_CLI_RECORD_BEGIN_H

#include "cli/record/recording.h"
#include "cli/session.h"

/* Asks the agent to record to the file, which is open and is closed here, or removed where we made it and it was refused. CLI_OK, or
 * CLI_FAILED after saying why. */
int begin_recording(const struct session *s, struct recording *r);

#endif
