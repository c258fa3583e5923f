/* Writes man pages from the table of commands. */
#ifndef CANDOR_CLI_MANUAL_H
#define CANDOR_CLI_MANUAL_H

#include "cli/cli.h"

/* Prints the source (man macros) of candor-NAME.1, or of candor.1 if command is NULL. */
void manual_print(FILE *f, const struct cli_command *command);

#endif
