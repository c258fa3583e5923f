/* A recording's messages about itself: warnings, of which the latest is also in the status, and lines for readers of the file.
 *
 *   warnings_begin -> [ warnings_write, warnings_of_clocks ]* -> warnings_of_*
 *
 * All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_SESSION_WARNINGS_H
#define CANDOR_AGENT_COLLECT_SESSION_WARNINGS_H

#include "agent/record/recording.h"

#include <stdbool.h>
#include <stdint.h>

/* Sets the recording into which warnings go from now on. It is opened later. */
void warnings_begin(struct recording *r);
/* Returns the latest warning; empty = there is none. */
const char *warnings_latest(void);
void warnings_write(uint64_t now, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the fault of the agent itself into the recording, if there was one. */
void warnings_write_fault(uint64_t now);
/* Writes the latest warning, and the agent's fault if there was one, once more. Call it in a chunk that may later become the first of the
 * file. */
void warnings_write_base(uint64_t now);
/* Warns about threads whose clock is not the chosen one. It does so when their number has doubled since the last warning, or at the end. */
void warnings_of_clocks(bool at_end);
void warnings_of_unknown_cost(void);
void warnings_of_virtual_threads(void);

#endif
