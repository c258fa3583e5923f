/* Keeps the program's settings for the signals that the agent uses: the setting from before the agent, and later settings, which the
 * program believes to be in force (trigger/hooks/claims.h). Our handlers pass the program's signals on to it, as the kernel would do.
 *
 * There may be one writer at a time, and any number of readers. Reading is wait-free, and signal handlers may read. */
#ifndef CANDOR_AGENT_HOT_SIGNAL_CHAIN_H
#define CANDOR_AGENT_HOT_SIGNAL_CHAIN_H

#include "agent/hot/signal/action.h"

#include <signal.h>
#include <stdbool.h>

enum { CHAIN_SIGNALS = 32 };

void chain_set(int signal, const struct kernel_action *action);
struct kernel_action chain_get(int signal);
bool chain_is_default(int signal); /* whether it is SIG_DFL */
/* Calls the program's handler, if it has set one, under the signal mask that it would have. A handler calls this as its last action,
 * because the mask stays until the handler returns. */
void chain_pass_on(int signal, siginfo_t *info, void *context);

#endif
