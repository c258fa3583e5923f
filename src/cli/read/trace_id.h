/* Selects the samples of one trace by its id. Functions that return a status have already printed their message. */
#ifndef CANDOR_CLI_READ_TRACE_ID_H
#define CANDOR_CLI_READ_TRACE_ID_H

#include "cli/cli.h"
#include "profile/profile.h"

enum { TRACE_ID_DIGITS = 32 };

/* Reads a trace id and converts it to lower case, which recordings use. Returns CLI_OK or CLI_USAGE. */
int trace_id_parse(const struct cli_command *command, const char *text, char id[TRACE_ID_DIGITS + 1]);
/* Drops the samples of all other traces. path is for the message. Returns CLI_OK or CLI_FAILED. */
int trace_id_keep(struct profile *p, const char *path, const char *id);

#endif
