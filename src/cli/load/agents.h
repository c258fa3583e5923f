/* candor load --agents: several generators, here or on other hosts, follow one schedule. Each sends every N-th request of it. Their clocks
 * are compared before the start, so that they start at the same time. Their histograms are added, which loses nothing. */
#ifndef CANDOR_CLI_LOAD_AGENTS_H
#define CANDOR_CLI_LOAD_AGENTS_H

#include "cli/cli.h"
#include "load/load.h"

/* Runs the load on all agents, and fills the result as load_run does; writes c->log. Prints a line for each agent on standard error.
 * Returns a status; load_result_deinit is needed in any case. */
int agents_run(const struct cli_args *args, const struct load_config *c, struct load_result *result);

#endif
