/* candor report --kind halt FILE: what stopped all threads, and what single ones waited for. */
#ifndef CANDOR_CLI_REPORT_HALTS_H
#define CANDOR_CLI_REPORT_HALTS_H

#include "cli/cli.h"

/* Also of --timeline. top: rows per table, 0 = all. CLI_OK or a status; the line has been printed then. */
int report_halts(const struct cli_args *args, uint32_t top);

#endif
