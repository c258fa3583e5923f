/* Prints the output of `candor load`: a line per second, and text or JSON at the end. */
#ifndef CANDOR_CLI_LOAD_PRINT_H
#define CANDOR_CLI_LOAD_PRINT_H

#include "cli/load/profiled.h"
#include "load/load.h"

/* Prints one line on standard error. */
void load_print_tick(const struct load_tick *tick);
/* Print the result on standard output, and that of the profile if there is one. Return 0, or a negative code when out of memory. */
int load_print_text(const struct load_config *config, const struct load_result *result, const struct profiled *profile);
int load_print_json(const struct load_config *config, const struct load_result *result, const struct profiled *profile);
/* Returns the lowest percentile, such as "p99", that the generator's own lateness makes doubtful; NULL if there is none. */
const char *load_doubtful_from(const struct outcome *outcome, const struct candor_histogram *response);

#endif
