/* A recording of any events but safepoint, whose samples come from the threads themselves or from the JVM: it drains the
 * threads' queues, interns stacks, writes events, and balances the books once a second.
 *
 *   sampling_start -> [ sampling_tick, sampling_dump ]* -> sampling_stop
 *
 * collect.c calls these functions for such a recording. All on the agent's only thread. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_SAMPLING_H
#define CANDOR_AGENT_COLLECT_SAMPLING_SAMPLING_H

#include "agent/collect/session/session.h"
#include "agent/hot/thread/turn.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

bool sampling_running(void);
/* The events of the running recording, or of the last one. */
unsigned sampling_events(void);
const char *sampling_file(void);
uint64_t sampling_paths_ns(void); /* the time that its end may take for the search for paths */
struct recording *sampling_recording(void);
int sampling_start(const struct collect_options *options, bool late, void (*bind_threads)(void), struct error *e);
bool sampling_tick(void);
uint64_t sampling_patience_ns(void);
int sampling_dump(const char *file, int passed, uint64_t paths_ns, uint64_t *bytes, struct error *e);
int sampling_stop(uint64_t *bytes, uint64_t *samples, struct error *e);
void sampling_abandon(struct turn *turn);
void sampling_status(struct collect_status *out);

#endif
