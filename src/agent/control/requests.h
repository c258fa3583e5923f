/* The requests of the control protocol (docs/formats/control.md). On the agent's thread only. */
#ifndef CANDOR_AGENT_CONTROL_REQUESTS_H
#define CANDOR_AGENT_CONTROL_REQUESTS_H

#include "agent/collect/collect.h"
#include "agent/control/hooks.h"
#include "base/buffer.h"

/* Carries out one request line and writes the whole answer. passed: the descriptor that came with it, which stays the
 * caller's, or -1. */
void requests_answer(char *request, int passed, const struct hooks *hooks, bool late, struct buffer *answer);

int requests_start(const struct collect_options *options, const struct hooks *hooks, bool late, struct error *e);
/* bytes and samples may be NULL. */
int requests_stop(const struct hooks *hooks, uint64_t *bytes, uint64_t *samples, struct error *e);

#endif
