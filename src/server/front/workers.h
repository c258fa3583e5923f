/* Threads for work that may take long: each lane has its own, so that one kind of work never waits for another.
 *
 *   workers_start -> workers_submit ... -> workers_stop
 *
 * Any thread may submit. A job belongs to the workers from workers_submit until `done` is called with it, on a worker's thread. */
#ifndef CANDOR_SERVER_FRONT_WORKERS_H
#define CANDOR_SERVER_FRONT_WORKERS_H

#include "base/error.h"

enum lane {
    LANE_SHORT,   /* small answers; what TLS computes for a new connection */
    LANE_RECEIVE, /* recordings: writes to the disk, and waits for a turn to be read */
    LANE_QUERY,   /* seconds, or minutes */
    LANES
};

struct job { /* part of what the work is for */
    struct job *next;
};

struct workers;

/* run: the work, done: what comes after it. */
int workers_start(struct workers **out, void (*run)(struct job *job), void (*done)(void *context, struct job *job), void *context,
                  struct error *e);
void workers_submit(struct workers *w, enum lane lane, struct job *job);
/* Waits until all that was submitted is done. NULL is fine. */
void workers_stop(struct workers *w);

#endif
