/* Makes sure that our agent listens in a JVM. It loads the agent if necessary. */
#ifndef CANDOR_ATTACH_AGENT_H
#define CANDOR_ATTACH_AGENT_H

#include "attach/process.h"

#include <stdint.h>

/* The agent's library, as it is embedded in the program. */
struct agent_library {
    const void *bytes;
    size_t len;
};

/* Makes the JVM load the agent, unless an agent that uses our protocol already listens there. timeout_ns limits each of a few steps.
 * wait_end(context, ms) waits at most ms milliseconds, and returns whether the process has ended; NULL = just wait. Returns 0, or a
 * negative errno with e. */
int agent_load(const struct process *target, const struct agent_library *library, uint64_t timeout_ns,
               bool (*wait_end)(const void *context, int ms), const void *context, struct error *e);

#endif
