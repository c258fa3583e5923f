/* `candor convert --to jitdump` and `--to perfmap`: the machine code of a recording, for perf. */
#ifndef CANDOR_CLI_CONVERT_CODE_H
#define CANDOR_CLI_CONVERT_CODE_H

#include "cli/cli.h"

/* True when the command line asks for it; then it is done, and *status is the exit status. */
bool convert_to_code(const struct cli_args *args, int *status);

#endif
