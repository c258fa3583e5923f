/* The results of requests: counts and times, added by any number of threads and read once per interval by one.
 *
 *     intended ------- sent ------------ done          response = wait + service, for each request
 *        |<--- wait --->|<--- service --->|
 *        |<------------ response -------->|
 *
 * The wait consists of waiting for a free connection and then the generator's own lateness; both have separate histograms. */
#ifndef CANDOR_LOAD_OUTCOME_H
#define CANDOR_LOAD_OUTCOME_H

#include "candor/histogram.h"
#include "load/mix.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum outcome_time { OUTCOME_RESPONSE, OUTCOME_SERVICE, OUTCOME_WAIT, OUTCOME_TIMES };
enum { OUTCOME_LATENESS, OUTCOME_CONNECTION_WAIT, OUTCOME_OWN };

enum outcome_kind {
    OUTCOME_ANSWERED,   /* with any status below 400, or an exit status of 0 */
    OUTCOME_REFUSED,    /* with a status of 400 and more, or another exit status */
    OUTCOME_NO_CONNECT, /* no connection, or no TLS on it; no program */
    OUTCOME_BROKEN,     /* the connection broke, or the answer is no HTTP */
    OUTCOME_TIMEOUT,
    OUTCOME_IN_FLIGHT, /* at the end */
    OUTCOME_UNSENT,    /* due, but not sent by the end */
    OUTCOME_KINDS
};

struct outcome_series {
    char tag[96];
    struct candor_recorder recorder;
    struct candor_histogram total;
    const struct candor_histogram *interval; /* of the last outcome_interval */
};

struct outcome {
    struct outcome_series times[MIX_TYPES_MAX][OUTCOME_TIMES];
    struct outcome_series own[OUTCOME_OWN];
    uint32_t types;
    bool scheduled;                /* false: there is no intended time, so only service times */
    uint64_t kinds[OUTCOME_KINDS]; /* written by all threads */
    uint64_t statuses[6];          /* by hundreds */
    uint64_t bytes, reconnects, connects;
    char first_problem[200]; /* of what went wrong */
    int has_problem;
};

/* 0 or -ENOMEM. Values beyond an hour count as one. */
int outcome_init(struct outcome *o, const struct mix *mix, bool scheduled);
void outcome_deinit(struct outcome *o);

struct outcome_request {
    uint32_t type;
    uint64_t intended, ready, sent; /* ns; ready: due, and a connection free */
};

/* Any thread. One request ends at `now`; `status` is 0 if there is none. */
void outcome_record(struct outcome *o, const struct outcome_request *r, enum outcome_kind kind, int status, uint64_t now);
/* Counts a request that was due and was never sent. */
void outcome_record_unsent(struct outcome *o, uint32_t type, uint64_t intended, uint64_t now);
/* Any thread. Notes a problem; only the first is kept. */
void outcome_problem(struct outcome *o, const char *text);

/* One thread. Ends the interval: adds it to the totals and, with a log, writes what is not empty, `start` and `length` in ns. 0 or a
 * negative code. */
int outcome_interval(struct outcome *o, FILE *log, uint64_t start, uint64_t length);
/* Sums one kind of time over all types: of the last interval, or of all so far. `sum` is initialized, and emptied first. */
void outcome_sum(const struct outcome *o, enum outcome_time time, bool interval, struct candor_histogram *sum);
/* Initializes a histogram with the range and precision that all histograms here have. */
int outcome_histogram(struct candor_histogram *h);

#endif
