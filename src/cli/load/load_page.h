/* The report of a run as an HTML page: figures, percentiles, the course over time, and both views beside each other, in words: what callers
 * waited, and what a loop that waits for answers would have shown. The page needs no script and no other file. */
#ifndef CANDOR_CLI_LOAD_LOAD_PAGE_H
#define CANDOR_CLI_LOAD_LOAD_PAGE_H

#include "cli/load/intervals.h"
#include "cli/load/profiled.h"
#include "load/load.h"

#include <stdio.h>

/* target: what was loaded, for the title. profile: of the server, or NULL. Returns 0 or -ENOMEM. */
int load_page_write(const struct load_intervals *intervals, FILE *out, const char *target, const struct load_config *config,
                    const struct load_result *result, const struct profiled *profile);

#endif
