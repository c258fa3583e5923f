/* The messages about a fault in the agent itself (hot/thread/turn.h). */
#ifndef CANDOR_AGENT_COLLECT_SESSION_INTERNAL_FAULT_H
#define CANDOR_AGENT_COLLECT_SESSION_INTERNAL_FAULT_H

#include <stdbool.h>
#include <stddef.h>

enum { INTERNAL_FAULT_TEXT_MAX = 256 };

/* One line: the signal, the place in the agent's file, its build id. False, and an empty text, when there was none.
 * Allocates nothing. */
bool internal_fault_describe(char *out, size_t size);

#endif
