/* Says which formats have a place for which options of `convert`, so that no option is ignored silently. */
#ifndef CANDOR_CLI_CONVERT_OPTION_PLACES_H
#define CANDOR_CLI_CONVERT_OPTION_PLACES_H

#include "cli/cli.h"

/* Refuses options that OUT has no place for. format: the name of its format, as for --to. Returns CLI_OK, or CLI_USAGE after printing
 * the reason. */
int option_places_check(const struct cli_args *args, const char *format);

#endif
