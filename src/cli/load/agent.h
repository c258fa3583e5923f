/* candor load --agent: one of several generators that --agents starts (agents.h). It speaks with it on standard input and output:
 *
 *     agent                         the command with --agents
 *     candor-load-agent VERSION
 *                                   clock            as often as wanted
 *     NS                                             CLOCK_MONOTONIC here
 *                                   start NS         when to start, by the clock of the agent
 *     a log of histograms, with a comment after each interval (agent_tick)
 *     result NUMBER...              (agent_result_*)
 *     problem TEXT                  if there is one
 *     end
 *
 * The agent ends the run early, with a result, when its input ends. So it does not go on without the command that started it. */
#ifndef CANDOR_CLI_LOAD_AGENT_H
#define CANDOR_CLI_LOAD_AGENT_H

#include "cli/cli.h"
#include "load/load.h"

#define AGENT_TICK     "#[tick " /* begins the comment; other readers of logs skip it */
#define AGENT_GREETING "candor-load-agent " CANDOR_VERSION

/* Parses "I/N" into the share of the schedule. Returns a status. */
int agent_set(const struct cli_args *args, struct load_config *c);
/* Waits for the start. Returns a status. */
int agent_wait(struct load_config *c);
/* Whether a signal came, or the input has ended. */
bool agent_is_interrupted(void);
/* The agent's tick: writes the end of the interval into its log, so that the command with --agents hears of it at once. */
struct agent_ticking {
    FILE *out;
    uint64_t failed; /* requests before this interval */
};
void agent_tick(void *ticking, const struct load_tick *tick);
/* Reads such a comment. `failed` is that of the interval; the histograms and end_ns are not filled. Returns whether it is one. */
bool agent_read_tick(const char *line, struct load_tick *tick);
/* Writes the result after the log. */
void agent_put_result(const struct load_result *r, FILE *out);
/* Adds the numbers of a line "result ..." to a result. Returns whether the line is complete. */
bool agent_add_result(const char *line, struct load_result *r);

#endif
