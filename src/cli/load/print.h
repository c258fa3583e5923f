/* The output of `candor load`: a line per second, and text or JSON at the end. */
#ifndef CANDOR_CLI_LOAD_PRINT_H
#define CANDOR_CLI_LOAD_PRINT_H

#include "load/load.h"

/* One line on standard error. */
void load_print_tick(const struct load_tick *tick);
/* Both on standard output. 0 or a negative code without memory. */
int load_print_text(const struct load_config *config, const struct load_result *result);
int load_print_json(const struct load_config *config, const struct load_result *result);

#endif
