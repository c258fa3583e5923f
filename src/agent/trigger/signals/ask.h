/* Asks running threads for a sample (event wall): sends the thread a signal, whose handler walks its stack as a clock's handler
 * would. Sleeping threads are not asked, because the signal would wake them.
 *
 *   ask_open -> [ ask ]* -> the signals' end (clock_stop)
 *
 * Collector only. */
#ifndef CANDOR_AGENT_TRIGGER_SIGNALS_ASK_H
#define CANDOR_AGENT_TRIGGER_SIGNALS_ASK_H

#include "agent/hot/thread/thread.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Sets the handler. Call it before a clock is chosen, and again after a clock_stop during a recording. 0 or a negative errno. */
int ask_open(struct error *e);
/* The thread's next sample stands for this much more wall-clock time, in which it ran or waited for a processor. A thread that
 * has not answered yet answers once for all requests. */
void ask(struct sampled_thread *t, uint64_t running_ns, uint64_t ready_ns);
/* Whether somebody has taken the signal from us. */
bool ask_is_taken(void);
/* Nobody waits any more for the answers that are due. */
void ask_forget(void);
/* The requests that the thread has not answered. */
uint64_t ask_pending(const struct sampled_thread *t);

#endif
