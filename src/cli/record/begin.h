/* Starts a recording in a JVM that is already running. */
#ifndef CANDOR_CLI_RECORD_BEGIN_H
#define CANDOR_CLI_RECORD_BEGIN_H

#include "cli/record/recording.h"
#include "cli/session.h"

/* Asks the agent to record to the file, which must be open, and closes it. If the agent refuses, and candor created the file, removes
 * it. Returns CLI_OK, or CLI_FAILED after printing the reason. */
int begin_recording(const struct session *s, struct recording *r);
/* Gives the recording its file name if it replaces an older file: waits until the new recording contains data, and then renames it. Call
 * it after begin_recording, or after the agent has begun a recording in another way. Returns CLI_OK, or CLI_FAILED after printing why
 * the older file is still there. */
int begin_place(const struct session *s, struct recording *r);

#endif
