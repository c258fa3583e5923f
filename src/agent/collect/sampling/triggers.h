/* Starts and stops everything that triggers samples: each thread's clock and its handlers, the event wall's signal, and the
 * JVM's callbacks.
 *
 *   triggers_begin -> triggers_choose -> triggers_start -> [ triggers_change_clock ]* -> triggers_stop
 *
 * All on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_TRIGGERS_H
#define CANDOR_AGENT_COLLECT_SAMPLING_TRIGGERS_H

#include "agent/collect/books/books.h"
#include "agent/collect/sampling/sinks.h"
#include "agent/collect/session/session.h"
#include "agent/trigger/clocks/clock.h"
#include "base/error.h"
#include "candor/queue/pool.h"

#include <stdbool.h>
#include <stdint.h>

/* The data that they work on; all of it stays the caller's. */
struct triggers_on {
    struct collect_options *options; /* of what is sampled: joins add to them */
    const struct sink *first;
    struct clock *clock;        /* that is chosen */
    struct candor_pool *pool;   /* of the threads' queues */
    struct books *books;        /* are opened when the clock runs */
    void (*bind_threads)(void); /* called when threads are armed, to identify the Java threads */
};

void triggers_begin(const struct triggers_on *them);
/* Chooses the threads' clock, unless no event samples CPU time, and the stack walker. 0 or a negative errno; clock_stop undoes it. */
int triggers_choose(struct error *e);
/* Installs the handlers, arms the threads, turns on the JVM's callbacks. 0 or a negative errno: then nothing remains but the
 * choice. */
int triggers_start(struct error *e);
/* Continues with the best clock that works now. No clock covers the threads' CPU time in between. */
int triggers_change_clock(struct error *e);
/* For a recording that joins others, of which none has the event cpu: from here on the threads have a clock. 0 or a negative errno, and
 * then they have none. */
int triggers_add_clock(const struct collect_options *options, struct error *e);
/* Removes the handlers. Call it when the threads have been stopped. */
void triggers_stop(void);

#endif
