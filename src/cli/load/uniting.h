/* What several generators write becomes one result: totals without loss, one log, and a tick for each interval that all of them have ended.
 * A file of its own, because it knows nothing of processes and hosts. */
#ifndef CANDOR_CLI_LOAD_UNITING_H
#define CANDOR_CLI_LOAD_UNITING_H

#include "cli/load/united_log.h"
#include "load/config.h"

#include <sys/types.h>

enum { UNITING_AGENTS_MOST = 64 };

struct united_tick; /* of an interval that not all agents have ended */

struct uniting {
    const struct load_config *config;
    struct outcome *outcome; /* the totals */
    struct united_log log;   /* only if the run has a log */
    int64_t start_ns;        /* since the epoch: the start of the run; set before the first uniting_take */
    uint32_t agents;
    uint64_t ended[UNITING_AGENTS_MOST]; /* the number of intervals that each agent has ended; UINT64_MAX = all */
    struct united_tick *first;           /* by number */
    struct united_tick *part;            /* of the agent whose text is being read */
    uint64_t failed;                     /* requests so far */
};

/* Returns 0 or -ENOMEM. Call uniting_deinit in either case. */
int uniting_init(struct uniting *u, const struct load_config *config, struct outcome *outcome, uint32_t agents);
/* Takes what an agent wrote, as far as its intervals are complete. `text` ends with a zero byte at text[size]. Calls config->tick. Returns
 * the number of bytes that were taken, or a negative code. */
ssize_t uniting_take(struct uniting *u, uint32_t agent, char *text, size_t size);
/* The agent has written everything. */
void uniting_end(struct uniting *u, uint32_t agent);
void uniting_deinit(struct uniting *u);

#endif
