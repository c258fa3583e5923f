/* Makes sure that our handlers receive the signals of armed clocks, even if the program sets its own handlers meanwhile.
 *
 * A library that sets its own handler for the signal of an armed clock, or resets all handlers, would kill the process at the next expiry,
 * by its own action or the kernel's. So between claims_take and claims_release every library's calls of sigaction, signal and similar
 * functions reach functions of ours (trigger/hooks/hooks.h). For a claimed signal these only note the wanted handler (hot/signal/chain.h)
 * and answer as if it were in force: our handler stays in front and passes on the signals that are not ours. For all other signals they
 * call the C library's functions.
 *
 *   claims_open -> [ claims_take | claims_look | claims_release ]* -> claims_close
 *
 * docs/internals/signals.md lists the ways to take a signal that this does not prevent.
 *
 * Only one thread at a time may call these functions, and handlers must not. The program's own calls may come at any time, also from its
 * signal handlers. */
#ifndef CANDOR_AGENT_TRIGGER_HOOKS_CLAIMS_H
#define CANDOR_AGENT_TRIGGER_HOOKS_CLAIMS_H

#include "agent/hot/signal/action.h"
#include "base/error.h"

#include <stdbool.h>

/* Hooks the calls that set signal handlers. Returns 0, or a negative errno if the calls cannot be hooked here. Further calls have no
 * effect. */
int claims_open(struct error *e);
/* Hooks libraries that had resolved these calls before. It uses guarded loads, so their handler must be installed
 * (hot/fault/fault.h). Call it repeatedly. */
void claims_look(void);
/* Gives the signal this action. Its earlier action is recorded as the program's. It may be called again for another action. Returns 0 or a
 * negative errno. */
int claims_take(int signal, const struct kernel_action *ours);
/* Gives the signal the action that the program now wants. */
void claims_release(int signal);
/* Call it when no signal is claimed any more. */
void claims_close(void);

/* Sets whether our clock uses the process's only timer for CPU time. While it does, the first call of setitimer by the program takes that
 * timer from us, and sets handler_config.timer_is_taken. */
void claims_use_timer(bool ours);

#endif
