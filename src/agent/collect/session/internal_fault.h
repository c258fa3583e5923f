/* The messages about a fault in the agent itself (hot/thread/turn.h). */
#ifndef CANDOR_AGENT_COLLECT_SESSION_INTERNAL_FAULT_H
#define CANDOR_AGENT_COLLECT_SESSION_INTERNAL_FAULT_H

#include <stdbool.h>
#include <stddef.h>

enum { INTERNAL_FAULT_TEXT_MAX = 256 };

/* Describes the fault in one line: the signal, the place in the agent's file, and its build id. Returns false and an empty text if there
 * was no fault. It allocates nothing. */
bool internal_fault_describe(char *out, size_t size);

#endif
