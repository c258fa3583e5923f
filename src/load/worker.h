/* One thread of the generator: some of the connections, an epoll and a timer. The first worker with a free connection claims
 * the next request of the schedule. */
#ifndef CANDOR_LOAD_WORKER_H
#define CANDOR_LOAD_WORKER_H

#include "load/config.h"

#include <pthread.h>

/* What the workers share. */
struct run {
    const struct load_config *config;
    struct outcome *outcome;
    uint64_t start;            /* CLOCK_MONOTONIC, or 0 of virtual time */
    uint64_t measured;         /* from here on requests are recorded */
    uint64_t end;              /* atomic: an interrupt brings it forward */
    uint64_t next;             /* atomic: the first request not claimed */
    uint64_t warm_up_requests; /* atomic */
    uint32_t in_flight;        /* atomic */
    uint64_t stopped;          /* atomic: when the last worker stopped */
    struct mock mock;
    void (*on_time)(struct run *run, uint64_t now); /* of virtual time: called as it goes on */
};

struct worker_list {
    struct connection *first, *last;
};

struct worker {
    struct run *run;
    pthread_t thread;
    struct connection *connections;
    uint32_t count;
    struct worker_list free, busy; /* the longest free, the earliest sent first */
    int epoll, timer;
    uint64_t armed; /* when the timer goes off */
    uint64_t now;   /* of virtual time */
    char *scratch;
};

/* 0 or a negative code; deinit in either case. */
int worker_init(struct worker *w, struct run *run, uint32_t connections);
void worker_deinit(struct worker *w);
/* Opens the connections and waits until each is open or has failed, 5 s at most. */
void worker_connect(struct worker *w);
/* Runs until the load test ends. */
void worker_run(struct worker *w);

#endif
