/* Asks running threads for a sample (event wall): sends the thread a signal, whose handler walks its stack like a clock's handler. Sleeping
 * threads are not asked, because the signal would wake them.
 *
 *   ask_open -> [ ask ]* -> the signals' end (clock_stop)
 *
 * Only the collector uses this file. */
#ifndef CANDOR_AGENT_TRIGGER_SIGNALS_ASK_H
#define CANDOR_AGENT_TRIGGER_SIGNALS_ASK_H

#include "agent/hot/thread/thread.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Sets the handler. Call it before a clock is chosen, and again after a clock_stop during a recording. Returns 0 or a negative errno. */
int ask_open(struct error *e);
/* Requests a sample. The thread's next sample stands for this much more wall-clock time, in which the thread ran or waited for a processor.
 * A thread that has not answered yet answers once for all requests. */
void ask(struct sampled_thread *t, uint64_t running_ns, uint64_t ready_ns);
/* Whether other code has taken the signal from us. */
bool ask_is_taken(void);
/* Forgets all requests without an answer. */
void ask_forget(void);
/* Returns the number of requests that the thread has not answered. */
uint64_t ask_pending(const struct sampled_thread *t);

#endif
