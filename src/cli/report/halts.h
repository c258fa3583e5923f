/* candor report --kind halt FILE: what stopped all threads, and what single threads waited for. */
#ifndef CANDOR_CLI_REPORT_HALTS_H
#define CANDOR_CLI_REPORT_HALTS_H

#include "cli/cli.h"

/* Prints the report on halts, also with --timeline. top: rows per table, 0 = all. Returns CLI_OK, or a status after printing an error. */
int report_halts(const struct cli_args *args, uint32_t top);

#endif
