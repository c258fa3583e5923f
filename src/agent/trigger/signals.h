/* The clocks' signals: which one to use, our handlers on them, and what was there before. One caller at a time; not for
 * handlers. */
#ifndef CANDOR_AGENT_TRIGGER_SIGNALS_H
#define CANDOR_AGENT_TRIGGER_SIGNALS_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

typedef void (*signals_handler)(int signal, siginfo_t *info, void *context);

/* A signal that nobody uses, other than `taken` (0 = any). */
int signals_unused(int taken);
/* The same for requests (trigger/ask.h), which have theirs before a clock is chosen: no clock gets it then. */
int signals_for_requests(void);
/* "SIGTRAP"; "SIG" for one that no clock uses. */
const char *signals_name(int signal);
/* Of a signal that we have set: the handler that somebody has put there in our stead, where calls of the C library cannot be followed
 * (trigger/claims.h); 1: he has taken all away; 0: nobody has. */
uintptr_t signals_taker(int signal);
/* Puts a handler of hot/handler.h on the signal, and claims it. -EBUSY when it is SIGPROF and has a handler that is not ours. */
int signals_set(int signal, signals_handler handler, struct error *e);
/* Gives the signals used so far what the program wants for them by now, except SIGTRAP: that handler stays and hands on what comes.
 * False while a thread still has one of them pending: call again later. */
bool signals_restore(void);

#endif
