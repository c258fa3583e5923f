/* record PID: a JVM that runs already. */
#ifndef CANDOR_CLI_RECORD_ATTACHED_H
#define CANDOR_CLI_RECORD_ATTACHED_H

#include "cli/record/recording.h"
#include "cli/session.h"

/* Loads the agent, records until the end, shows the result. CLI_OK or a status. */
int attached_record(const struct session *s, const struct cli_args *args, struct recording *r);

#endif
