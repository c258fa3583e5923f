/* The event wall: what Java threads do, running or not, in proportion to elapsed time.
 *
 * A round, every interval on average, draws some of the threads (trigger/tasks/subset.h). If the rate is too low for WALL_LOOKS_LEAST
 * threads in each round, rounds are rarer. A thread that can run receives a signal (trigger/signals/ask.h), and its handler takes the
 * sample. A sleeping thread is not woken: the agent's thread reads its stack, from its last Java frame on, and accepts the result if the
 * thread's CPU clock has not moved meanwhile. If the clock has not moved since the previous look, the stack is still the same. Each sample
 * stands for the time since the previous round, times the threads per drawn thread. A sample of a late round therefore weighs more. For the
 * reasons, and for how running is distinguished from waiting for a processor, see docs/internals/sampling-math.md. All functions run on the
 * agent's only thread. */
#ifndef CANDOR_AGENT_COLLECT_WALL_WALL_H
#define CANDOR_AGENT_COLLECT_WALL_WALL_H

#include "agent/collect/part.h"
#include "base/time_units.h"

#include <stdbool.h>
#include <stdint.h>

/* A round costs about as much as ten looks, in addition to its looks. */
enum { WALL_LOOKS_LEAST = 16 };
enum { WALL_INTERVAL_DEFAULT_NS = 50 * NS_PER_MS, WALL_INTERVAL_MIN_NS = NS_PER_MS, WALL_RATE_DEFAULT = 160 };

struct wall_options {
    uint64_t interval_ns; /* between two rounds */
    uint64_t rate;        /* looks at threads, per second */
};

extern const struct part wall_part;

#endif
