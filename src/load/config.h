/* The task of the load generator. It sends requests on a schedule that does not wait for answers, over connections that carry one
 * request each at a time.
 *
 *     throughput   each connection sends as soon as it has its answer; only the service time exists
 *     throttle     requests are due by the schedule; the figure is the service time
 *     fixed        requests are due by the schedule; the figure is the response time, from the moment the request was due
 *
 * throttle and fixed do the same and differ only in their output. The log has all three times. */
#ifndef CANDOR_LOAD_CONFIG_H
#define CANDOR_LOAD_CONFIG_H

#include "load/connection.h"
#include "load/schedule/schedule.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum load_mode { LOAD_THROUGHPUT, LOAD_THROTTLE, LOAD_FIXED };

struct load_tick {
    uint64_t elapsed, length; /* ns: the time since the start, and the length of this interval */
    int64_t end_ns;           /* ns since the epoch: the end of this interval; without meaning in virtual time */
    bool warming_up;
    uint64_t done;            /* requests that ended in this interval, with any result */
    uint64_t failed, waiting; /* failed: requests so far; waiting: requests that are due and not sent */
    uint32_t in_flight;
    /* Times of requests that ended in this interval. `times` are those that the mode reports; without a schedule, response is empty, and
     * lateness is NULL. */
    const struct candor_histogram *times, *response, *service, *lateness;
};

struct load_config {
    enum load_mode mode;
    struct schedule schedule;
    struct mix mix;
    struct target target;
    uint64_t think;                             /* ns, for throughput: how long a connection waits after an answer */
    uint64_t warm_up, duration, drain, timeout; /* ns */
    uint64_t log_interval;                      /* ns; also the interval of the ticks */
    uint64_t requests_most;                     /* end after this number of requests; 0 = only after the duration */
    /* The part of a generator among several with one schedule: requests share, share + shares, share + 2 * shares, ... shares 0 = all. */
    uint32_t share, shares;
    uint64_t start_at; /* on CLOCK_MONOTONIC: when to start; 0 = at once */
    uint32_t connections, threads;
    uint32_t places;   /* with a driver: requests in progress on each connection at once */
    bool spin;         /* wait by reading the clock in a loop */
    bool virtual_time; /* for the mock: time jumps to the next event; there is one thread */
    FILE *log;         /* or NULL */
    bool (*interrupted)(void);
    void (*tick)(void *context, const struct load_tick *tick);
    void *context;
};

#endif
