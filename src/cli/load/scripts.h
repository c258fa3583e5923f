/* The result of `candor load` in the texts of other tools, for scripts that parse them, and for Prometheus. */
#ifndef CANDOR_CLI_LOAD_SCRIPTS_H
#define CANDOR_CLI_LOAD_SCRIPTS_H

#include "load/load.h"

/* Print the result on standard output. Return 0, or a negative code when out of memory. */
int load_print_ycsb(const struct load_config *config, const struct load_result *result);
int load_print_stress(const struct load_config *config, const struct load_result *result);
int load_print_prometheus(const struct load_config *config, const struct load_result *result);

#endif
