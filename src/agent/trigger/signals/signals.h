/* The clocks' signals: which one to use, our handlers on them, and what was there before. One caller at a time; not for
 * handlers. */
#ifndef CANDOR_AGENT_TRIGGER_SIGNALS_SIGNALS_H
#define CANDOR_AGENT_TRIGGER_SIGNALS_SIGNALS_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

typedef void (*signals_handler)(int signal, siginfo_t *info, void *context);

/* An unused signal other than `taken` (0 = any). */
int signals_unused(int taken);
/* The signal for requests (trigger/signals/ask.h). It is chosen before a clock is, and no clock gets it then. */
int signals_for_requests(void);
/* "SIGTRAP"; "SIG" for one that no clock uses. */
const char *signals_name(int signal);
/* For a signal that we have set: the handler that another owner has installed instead, if calls of the C library cannot be
 * followed (trigger/hooks/claims.h); 1: all handlers were removed; 0: it is still ours. */
uintptr_t signals_taker(int signal);
/* Puts a handler of hot/signal/handler.h on the signal, and claims it. -EBUSY when it is SIGPROF and has a handler that is not ours. */
int signals_set(int signal, signals_handler handler, struct error *e);
/* Restores the program's present actions for the signals used so far, except SIGTRAP: that handler stays and passes on what
 * comes. False while a signal is still pending in a thread: call again later. */
bool signals_restore(void);

#endif
