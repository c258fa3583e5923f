/* record -- COMMAND: a child with the agent from its first moment. */
#ifndef CANDOR_CLI_RECORD_LAUNCH_H
#define CANDOR_CLI_RECORD_LAUNCH_H

#include "cli/record/recording.h"
#include "cli/record/sending.h"

/* Runs the operands as a command, records it, shows the result, and sends it (to: NULL = nowhere). The child's exit status, 128 + N
 * when signal N ended it; CLI_FAILED when the child was content but our own work failed, or it could not be run. */
int launch_record(const struct cli_args *args, struct recording *r, const struct sending *to);

#endif
