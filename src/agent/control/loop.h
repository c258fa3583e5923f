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

/* Makes sure the thread runs, and with options starts a recording as a `start` request would, and waits for the answer.
 * late: the agent was attached to a running JVM. Any thread. 1 when it records but has no control socket, and *e says why:
 * so with the JVM only; a late agent is refused. */
int loop_open(const struct hooks *hooks, bool late, const struct collect_options *options, struct error *e);
/* Call it on a thread that a fault made leave loop_open in the middle, and that goes on: frees the lock if the thread holds it. */
void loop_let_go(void);
/* Ends the recording, if any, and the thread; returns when both are over, or after ten seconds. java_is_ending: the
 * hooks are not called any more, and the loop cannot be opened again. */
void loop_finish(bool java_is_ending);

#endif
