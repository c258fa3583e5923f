/* Recordings of all events except safepoint. Their samples come from the threads themselves or from the JVM. This file drains the threads'
 * queues, interns stacks, writes events, and balances the books once a second. Up to COLLECT_AT_ONCE recordings run at a time. Each has its
 * own place in a table (sinks.h), and all of them share the samples.
 *
 *   sampling_start -> [ sampling_join, sampling_tick, sampling_dump, sampling_stop ]* -> sampling_stop of the last one
 *
 * collect.c calls these functions. All functions run on the agent's only thread. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_SAMPLING_H
#define CANDOR_AGENT_COLLECT_SAMPLING_SAMPLING_H

#include "agent/collect/session/session.h"
#include "agent/hot/thread/turn.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

bool sampling_running(void);
/* Return the options and the recording at this place, which must be running. */
const struct collect_options *sampling_options(uint32_t place);
struct recording *sampling_recording(uint32_t place);
/* Start the first recording, and another recording beside those that run. */
int sampling_start(uint32_t place, const struct collect_options *options, bool late, void (*bind_threads)(void), struct error *e);
int sampling_join(uint32_t place, const struct collect_options *options, struct error *e);
void sampling_tick(void);
/* Whether the recording's duration is over. */
bool sampling_is_over(uint32_t place);
uint64_t sampling_patience_ns(void);
int sampling_dump(uint32_t place, const char *file, int passed, uint64_t paths_ns, uint64_t *bytes, struct error *e);
int sampling_stop(uint32_t place, uint64_t *bytes, uint64_t *samples, struct error *e);
/* Ends all recordings after a fault in the agent. */
void sampling_abandon(struct turn *turn);
void sampling_status(uint32_t place, struct collect_status *out);

#endif
