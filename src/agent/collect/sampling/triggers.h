/* Starts and stops everything that triggers samples: each thread's clock and its handlers, the event wall's signal, and the JVM's
 * callbacks.
 *
 *   triggers_begin -> triggers_choose -> triggers_start -> [ triggers_change_clock, triggers_drop_clock, triggers_add_clock ]* ->
 *   triggers_stop
 *
 * All functions run on the agent's thread. */
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

/* The data that the functions work on. All of it remains the caller's property. */
struct triggers_on {
    struct collect_options *options; /* the combined options of the running recordings; a recording that joins adds to them */
    const struct sink *first;
    struct clock *clock;        /* the chosen clock */
    struct candor_pool *pool;   /* the memory of the threads' queues */
    struct books *books;        /* they are opened when the clock runs */
    void (*bind_threads)(void); /* called when threads are armed, to identify the Java threads */
};

void triggers_begin(const struct triggers_on *them);
/* Chooses the threads' clock, unless no event samples CPU time, and the stack walker. Returns 0 or a negative errno. clock_stop undoes
 * it. */
int triggers_choose(struct error *e);
/* Installs the handlers, arms the threads, and turns on the JVM's callbacks. Returns 0 or a negative errno. An error undoes all of it
 * except the choice. */
int triggers_start(struct error *e);
/* Continues with the best clock that works now. The CPU time in between is not covered by a clock. */
int triggers_change_clock(struct error *e);
/* Gives the threads a clock, for a recording with the event cpu that joins others without it. Returns 0 or a negative errno. After an error
 * the threads have no clock. */
int triggers_add_clock(const struct collect_options *options, struct error *e);
/* Takes the threads' clocks away if no recording has the event cpu any more. The threads keep their slots. A clock that is in use at this
 * moment stays, until a later call; until then triggers_have_leftovers. */
void triggers_drop_clock(void);
bool triggers_have_leftovers(void);
/* Removes the handlers. Call it after the threads have been stopped. */
void triggers_stop(void);

#endif
