/* What the program wants to happen with the signals that we use: its setting from before, and its later settings, which it
 * believes to be in force (trigger/hooks/claims.h). Our handlers pass the program's signals on to it, as the kernel would have.
 *
 * One writer at a time; any number of readers, wait-free, signal handlers too. */
#ifndef CANDOR_AGENT_HOT_SIGNAL_CHAIN_H
#define CANDOR_AGENT_HOT_SIGNAL_CHAIN_H

#include "agent/hot/signal/action.h"

#include <signal.h>
#include <stdbool.h>

enum { CHAIN_SIGNALS = 32 };

void chain_set(int signal, const struct kernel_action *action);
struct kernel_action chain_get(int signal);
bool chain_is_default(int signal); /* SIG_DFL, that is */
/* Calls the program's handler, if it has set one, under the signal mask that it would have. For a handler, as its last action:
 * the mask stays until it returns. */
void chain_pass_on(int signal, siginfo_t *info, void *context);

#endif
