/* `candor convert --to jitdump` and `--to perfmap`: writes the machine code of a recording for perf. */
#ifndef CANDOR_CLI_CONVERT_CODE_H
#define CANDOR_CLI_CONVERT_CODE_H

#include "cli/cli.h"

/* Writes machine code for other tools if the command line asks for it. Returns true if it does, and *status is then the exit status. */
bool convert_to_code(const struct cli_args *args, int *status);

#endif
