/* Recordings of any events but safepoint, whose samples come from the threads themselves or from the JVM: drains the threads' queues,
 * interns stacks, writes events, and balances the books once a second. Up to COLLECT_AT_ONCE of them run at a time, each at a place of
 * its own (sinks.h), and share what is sampled.
 *
 *   sampling_start -> [ sampling_join, sampling_tick, sampling_dump, sampling_stop ]* -> sampling_stop of the last one
 *
 * collect.c calls these functions. All on the agent's only thread. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_SAMPLING_H
#define CANDOR_AGENT_COLLECT_SAMPLING_SAMPLING_H

#include "agent/collect/session/session.h"
#include "agent/hot/thread/turn.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

bool sampling_running(void);
/* Of a recording that runs. */
const struct collect_options *sampling_options(uint32_t place);
struct recording *sampling_recording(uint32_t place);
/* The first recording, and another beside it. */
int sampling_start(uint32_t place, const struct collect_options *options, bool late, void (*bind_threads)(void), struct error *e);
int sampling_join(uint32_t place, const struct collect_options *options, struct error *e);
void sampling_tick(void);
/* Whether the recording has run for as long as it was to. */
bool sampling_is_over(uint32_t place);
uint64_t sampling_patience_ns(void);
int sampling_dump(uint32_t place, const char *file, int passed, uint64_t paths_ns, uint64_t *bytes, struct error *e);
int sampling_stop(uint32_t place, uint64_t *bytes, uint64_t *samples, struct error *e);
/* Ends all of them. */
void sampling_abandon(struct turn *turn);
void sampling_status(uint32_t place, struct collect_status *out);

#endif
