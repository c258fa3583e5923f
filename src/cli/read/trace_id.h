/* Samples of one trace, by its id. Functions that return a status have printed their line. */
#ifndef CANDOR_CLI_READ_TRACE_ID_H
#define CANDOR_CLI_READ_TRACE_ID_H

#include "cli/cli.h"
#include "profile/profile.h"

enum { TRACE_ID_DIGITS = 32 };

/* In lower case, as recordings have it; CLI_OK or CLI_USAGE. */
int trace_id_parse(const struct cli_command *command, const char *text, char id[TRACE_ID_DIGITS + 1]);
/* Drops all other samples. CLI_OK or CLI_FAILED; path is for the message. */
int trace_id_keep(struct profile *p, const char *path, const char *id);

#endif
