/* Runs threads for work that may take long. Each lane has its own threads, so that one kind of work never waits for another. The clients of
 * a lane take turns, and the last quarter of its threads is reserved for clients that have no thread yet, so that no client waits for
 * another's work to end.
 *
 *   workers_start -> workers_submit ... -> workers_stop
 *
 * Any thread may submit a job. The job belongs to the workers from workers_submit until a worker's thread calls `done` with it. */
#ifndef CANDOR_SERVER_FRONT_WORKERS_H
#define CANDOR_SERVER_FRONT_WORKERS_H

#include "base/error.h"

#include <stdint.h>

enum lane {
    LANE_SHORT,   /* small answers, and the computations of TLS for a new connection */
    LANE_RECEIVE, /* recordings: writes to the disk, and waits for permission to read a recording */
    LANE_QUERY,   /* queries, which take seconds or minutes */
    LANES
};

struct job { /* a member of the struct that the work is for */
    struct job *next;
    uint64_t since_ns; /* when it was submitted; workers_submit sets it */
    uint64_t owner;    /* a number for the client; two clients with the same number share their turns */
};

struct workers;

/* Starts the threads. run: does the work. done: is called after the work. */
int workers_start(struct workers **out, void (*run)(struct job *job), void (*done)(void *context, struct job *job), void *context,
                  struct error *e);
void workers_submit(struct workers *w, enum lane lane, struct job *job);
/* Waits until all submitted work is done. w may be NULL. */
void workers_stop(struct workers *w);

#endif
