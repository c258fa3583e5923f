/* One thread of the generator. It has some of the connections, an epoll and a timer. The first worker with a free connection claims the
 * next request of the schedule. */
#ifndef CANDOR_LOAD_WORKER_H
#define CANDOR_LOAD_WORKER_H

#include "load/config.h"

#include <pthread.h>

/* Data that the workers share. */
struct run {
    const struct load_config *config;
    struct outcome *outcome;
    uint64_t start;            /* CLOCK_MONOTONIC; 0 for virtual time */
    uint64_t measured;         /* requests are recorded from this time on */
    uint64_t end;              /* atomic, because an interrupt sets an earlier end */
    uint64_t next;             /* atomic: the first of this generator's requests that is not claimed */
    uint64_t most;             /* end after this number of requests of this generator; 0 = only after the duration */
    uint64_t warm_up_requests; /* atomic */
    uint32_t in_flight;        /* atomic */
    uint64_t finished;         /* atomic: requests that ended, with those of the warm-up */
    uint64_t stopped;          /* atomic: the time at which the last worker stopped */
    struct mock mock;
    void (*on_time)(struct run *run, uint64_t now); /* for virtual time: called when time advances */
};

/* The number that the n-th request of this generator has in the schedule, which several generators may share. */
static inline uint64_t run_number(const struct run *run, uint64_t n)
{
    return run->config->shares ? n * run->config->shares + run->config->share : n;
}

/* How many of the schedule's first `count` requests are this generator's. */
static inline uint64_t run_part(const struct run *run, uint64_t count)
{
    uint32_t shares = run->config->shares, share = run->config->share;
    return !shares ? count : count > share ? (count - share - 1) / shares + 1 : 0;
}

struct worker_list {
    struct connection *first, *last;
};

struct worker {
    struct run *run;
    pthread_t thread;
    struct connection *connections; /* with a driver: places of requests */
    uint32_t count;
    struct link *links; /* of a driver */
    uint32_t link_count;
    struct link *unflushed;        /* by next_unflushed */
    struct worker_list free, busy; /* the one that has been free longest comes first; the earliest request comes first */
    int epoll, timer;
    uint64_t armed; /* time at which the timer expires */
    uint64_t now;   /* for virtual time */
    char *scratch;
};

/* Initializes a worker. Returns 0 or a negative code. Call worker_deinit in either case. */
int worker_init(struct worker *w, struct run *run, uint32_t connections);
void worker_deinit(struct worker *w);
/* Opens the connections and waits until each of them is open or has failed, at most 5 s. */
void worker_connect(struct worker *w);
/* Runs until the load test ends. */
void worker_run(struct worker *w);

#endif
