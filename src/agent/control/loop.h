/* The agent's only thread: it serves the control socket and runs the collector. It blocks all signals except those of its own
 * faults, which end the recording and all sampling, but not the process (hot/thread/turn.h).
 *
 * It lives from the first loop_open until the recording ends, or for a minute if no recording begins. If the agent was loaded
 * with the JVM, it lives until the JVM ends, so that the next recording can start without attaching again. */
#ifndef CANDOR_AGENT_CONTROL_LOOP_H
#define CANDOR_AGENT_CONTROL_LOOP_H

#include "agent/collect/collect.h"
#include "agent/control/hooks.h"
#include "base/error.h"

#include <stdbool.h>

/* Makes sure that the thread runs. If options are given, it also starts a recording, as a `start` request would, and waits for the answer.
 * late: the agent was attached to a running JVM. Any thread may call it. Returns 1 if the recording runs but there is no control socket; *e
 * then says why. This happens only if the agent was loaded with the JVM, because a late agent is refused. */
int loop_open(const struct hooks *hooks, bool late, const struct collect_options *options, struct error *e);
/* Frees the lock if the calling thread holds it. Call it on a thread that a fault made leave loop_open in the middle, and that
 * continues. */
void loop_let_go(void);
/* Ends the recordings and the thread. It returns when both are over, or after ten seconds. java_is_ending: the hooks are not called any
 * more, and the loop cannot be opened again. */
void loop_finish(bool java_is_ending);

#endif
