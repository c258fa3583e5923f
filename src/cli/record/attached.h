/* record PID: records a JVM that is already running. */
#ifndef CANDOR_CLI_RECORD_ATTACHED_H
#define CANDOR_CLI_RECORD_ATTACHED_H

#include "cli/record/recording.h"
#include "cli/session.h"

/* Loads the agent, records until the end, and shows the result. Returns CLI_OK or a status. */
int attached_record(const struct session *s, const struct cli_args *args, struct recording *r);

#endif
