/* record -- COMMAND: starts a child process that has the agent from its first moment. */
#ifndef CANDOR_CLI_RECORD_LAUNCH_H
#define CANDOR_CLI_RECORD_LAUNCH_H

#include "cli/record/recording.h"
#include "cli/record/sending.h"

#include <stdbool.h>

/* Whether the command is java itself, so that candor can talk to the JVM. --jfr needs that. */
bool launch_is_java(const struct cli_args *args);
/* Runs the operands as a command, records it, shows the result, and sends it (to NULL = does not send it). Returns the child's exit
 * status, or 128 + N if signal N ended it. Returns CLI_FAILED if the child succeeded but candor's own work failed, or if the command
 * could not be started. */
int launch_record(const struct cli_args *args, struct recording *r, const struct sending *to);

#endif
