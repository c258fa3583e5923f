/* A recording of the event safepoint: after every interval of wall-clock time the JVM itself reports the stacks of some of its threads, all
 * at one safepoint (trigger/jvm/java_stacks.h). It needs no kernel clock, no signal and none of the JVM's tables. Running threads give
 * biased stacks: each shows the next place where it can be stopped. Waiting threads give exact stacks.
 *
 * collect.c calls these functions for this event. All functions run on the agent's only thread. */
#ifndef CANDOR_AGENT_COLLECT_SAFEPOINT_SAFEPOINT_H
#define CANDOR_AGENT_COLLECT_SAFEPOINT_SAFEPOINT_H

#include "agent/collect/session/session.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

bool safepoint_running(void);
const struct collect_options *safepoint_options(void);
int safepoint_start(const struct collect_options *options, bool late, struct error *e);
void safepoint_tick(void);
bool safepoint_is_over(void);
uint64_t safepoint_patience_ns(void);
int safepoint_dump(const char *file, int passed, uint64_t *bytes, struct error *e);
struct recording *safepoint_recording(void);
int safepoint_stop(uint64_t *bytes, uint64_t *samples, struct error *e);
void safepoint_status(struct collect_status *out);

#endif
