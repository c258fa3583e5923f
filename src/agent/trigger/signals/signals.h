/* The clocks' signals: chooses them, installs our handlers, and keeps the previous actions. Only one thread at a time may call these
 * functions, and handlers must not. */
#ifndef CANDOR_AGENT_TRIGGER_SIGNALS_SIGNALS_H
#define CANDOR_AGENT_TRIGGER_SIGNALS_SIGNALS_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

typedef void (*signals_handler)(int signal, siginfo_t *info, void *context);

/* Returns an unused signal other than `taken` (0 = any). */
int signals_unused(int taken);
/* Returns the signal for requests (trigger/signals/ask.h). It is chosen before a clock is, so that no clock gets it. */
int signals_for_requests(void);
/* Returns a name such as "SIGTRAP", or "SIG" for a signal that no clock uses. */
const char *signals_name(int signal);
/* Looks at a signal that we have set. Returns the handler that another owner has installed instead, if calls of the C library cannot be
 * hooked (trigger/hooks/claims.h). 1: all handlers were removed; 0: the handler is still ours. */
uintptr_t signals_taker(int signal);
/* Puts a handler of hot/signal/handler.h on the signal, and claims it. Returns -EBUSY if it is SIGPROF and has a handler that is not
 * ours. */
int signals_set(int signal, signals_handler handler, struct error *e);
/* Restores the program's present actions for the signals used so far, except SIGTRAP: that handler stays and passes signals on. Returns
 * false while a signal is still pending in a thread: then call it again later. */
bool signals_restore(void);

#endif
