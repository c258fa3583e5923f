/* The collector's part of the event halt: it turns pauses for garbage collection, and the count of safepoints, into events, and
 * keeps their books (docs/formats/recording.md). It is independent of the clocks' part; sampling.c and its parts call it. All
 * on the agent's thread.
 *
 *   pauses_start -> [ pauses_tick pauses_write ]* -> pauses_end -> pauses_stop */
#ifndef CANDOR_AGENT_COLLECT_HALT_PAUSES_H
#define CANDOR_AGENT_COLLECT_HALT_PAUSES_H

#include "agent/record/recording.h"
#include "base/error.h"
#include "jfr/write/writer.h"

#include <stdbool.h>
#include <stdint.h>

/* 0 or a negative errno; then there is nothing to stop. */
int pauses_start(struct recording *r, struct error *e);
bool pauses_running(void);
/* What a recording's chunk says of it. */
void pauses_describe(void);
void pauses_tick(uint64_t now_ns);
/* The last of it, when JVMTI tells of no more. */
void pauses_end(void);
void pauses_write(jfr_write_book *write, uint64_t now_ns);
void pauses_counts(uint64_t *taken, uint64_t *lost);
void pauses_stop(void);

#endif
