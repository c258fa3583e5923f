/* The requests of the control protocol (docs/formats/control.md). Only the agent's thread calls these functions. */
#ifndef CANDOR_AGENT_CONTROL_REQUESTS_H
#define CANDOR_AGENT_CONTROL_REQUESTS_H

#include "agent/collect/collect.h"
#include "agent/control/hooks.h"
#include "base/buffer.h"

/* The client of a request. */
struct asker {
    int passed;   /* the descriptor that came with the request, or -1; it remains the caller's */
    pid_t client; /* 0 = unknown */
};

/* Carries out one request line and writes the whole answer. */
void requests_answer(char *request, const struct asker *asker, const struct hooks *hooks, bool late, struct buffer *answer);

int requests_start(const struct collect_options *options, const struct hooks *hooks, bool late, struct error *e);
/* Ends the recording. bytes and samples may be NULL. */
int requests_stop(uint32_t id, const struct hooks *hooks, uint64_t *bytes, uint64_t *samples, struct error *e);

void requests_stop_all(const struct hooks *hooks);

#endif
