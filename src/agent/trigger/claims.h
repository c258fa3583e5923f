/* Signals that are ours while clocks are armed, whatever the program sets for them meanwhile.
 *
 * A library that puts a handler of its own on the signal of an armed clock, or takes all handlers away, would kill the process at the next
 * expiry: by its own doing or by the kernel's. So between claims_take and claims_release every library's calls of sigaction, signal and
 * their like come to functions of ours (trigger/hooks.h), which for a signal that is claimed only note what is wanted (hot/chain.h) and
 * answer as if it were in force: our handler stays in front and hands on what is not ours. For all other signals they call the C library's.
 *
 *   claims_open -> [ claims_take | claims_look | claims_release ]* -> claims_close
 *
 * What cannot be kept from taking a signal so is listed in docs/internals/signals.md.
 *
 * One caller at a time, not for handlers; the program's own calls may come at any time, from its signal handlers, too. */
#ifndef CANDOR_AGENT_TRIGGER_CLAIMS_H
#define CANDOR_AGENT_TRIGGER_CLAIMS_H

#include "agent/hot/action.h"
#include "base/error.h"

#include <stdbool.h>

/* 0 or a negative errno: calls cannot be followed here. More than one call does no more. */
int claims_open(struct error *e);
/* Libraries that were there before. Guarded loads need their handler (hot/fault.h). Now and then. */
void claims_look(void);
/* Gives the signal this action; what it was before is what the program wants. 0 or a negative errno. Again for another action. */
int claims_take(int signal, const struct kernel_action *ours);
/* Gives the signal what the program wants by now. */
void claims_release(int signal);
/* When none is claimed any more. */
void claims_close(void);

/* Whether the process's one timer for CPU time is a clock of ours. While it is, the program's first call of setitimer for it takes it, and
 * sets handler_config.timer_is_taken. */
void claims_use_timer(bool ours);

#endif
