/* What the program wants done with the signals that are ours: what it had set before us, and what it has set since, which it believes to
 * be in force (trigger/claims.h). The handlers hand on to it what is not ours, as the kernel would have called it.
 *
 * One writer at a time; any number of readers, wait-free, signal handlers too. */
#ifndef CANDOR_AGENT_HOT_CHAIN_H
#define CANDOR_AGENT_HOT_CHAIN_H

#include "agent/hot/action.h"

#include <signal.h>
#include <stdbool.h>

enum { CHAIN_SIGNALS = 32 };

void chain_set(int signal, const struct kernel_action *action);
struct kernel_action chain_get(int signal);
bool chain_is_default(int signal); /* SIG_DFL, that is */
/* Calls what the program has set, under the signal mask that it would have, if that is a function. For a handler, as the last thing it
 * does: the mask stays until it returns. */
void chain_pass_on(int signal, siginfo_t *info, void *context);

#endif
