/* Starts a recording in a JVM that is already running. */
#ifndef CANDOR_CLI_RECORD_BEGIN_H
#define CANDOR_CLI_RECORD_BEGIN_H

#include "cli/record/recording.h"
#include "cli/session.h"

/* Asks the agent to record to the file, which is open. It is closed here. If the agent refuses and we made the file, it is removed.
 * CLI_OK, or CLI_FAILED after saying why. */
int begin_recording(const struct session *s, struct recording *r);
/* Call it after begin_recording, or after the agent has begun a recording otherwise. If the new recording replaces an older file,
 * waits until the new one contains data, and then gives it its name. CLI_OK, or CLI_FAILED after saying why the older file is still
 * there. */
int begin_place(const struct session *s, struct recording *r);

#endif
