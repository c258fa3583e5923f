/* The results of requests: counts and times. Any number of threads add to them, and one thread reads them once per interval.
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
    OUTCOME_ANSWERED,   /* status below 400, or exit status 0 */
    OUTCOME_REFUSED,    /* status of 400 or above, or another exit status */
    OUTCOME_WRONG,      /* an answer with another value than the one that was written */
    OUTCOME_NO_CONNECT, /* there was no connection, or no TLS on it; or the program could not start */
    OUTCOME_BROKEN,     /* the connection broke, or the answer is not HTTP */
    OUTCOME_TIMEOUT,
    OUTCOME_IN_FLIGHT, /* not finished at the end */
    OUTCOME_UNSENT,    /* due, but not sent by the end */
    OUTCOME_KINDS
};

extern const char *const outcome_kind_names[OUTCOME_KINDS]; /* for programs: "answered", ... */

struct outcome_series {
    char tag[96];
    struct candor_recorder recorder;
    struct candor_histogram total;
    const struct candor_histogram *interval; /* the values of the last outcome_interval */
};

struct outcome {
    struct outcome_series times[MIX_TYPES_MAX][OUTCOME_TIMES];
    struct outcome_series own[OUTCOME_OWN];
    uint32_t types;
    bool scheduled;                /* false: there is no intended time, and therefore only service times */
    uint64_t kinds[OUTCOME_KINDS]; /* written by all threads */
    uint64_t statuses[6];          /* number of answers by the first digit of their status */
    uint64_t bytes, reconnects, connects;
    char first_problem[200]; /* a description of the first problem */
    int has_problem;
};

/* Initializes the results. Returns 0 or -ENOMEM. Values beyond an hour count as an hour. */
int outcome_init(struct outcome *o, const struct mix *mix, bool scheduled);
void outcome_deinit(struct outcome *o);

struct outcome_request {
    uint32_t type;
    uint64_t intended, ready, sent; /* ns; ready: the time at which it was due and a connection was free */
};

/* Any thread. Records the end of a request at `now`; `status` is 0 if there is none. */
void outcome_record(struct outcome *o, const struct outcome_request *r, enum outcome_kind kind, int status, uint64_t now);
/* Counts a request that was due and was not sent. */
void outcome_record_unsent(struct outcome *o, uint32_t type, uint64_t intended, uint64_t now);
/* Any thread. Notes a problem; only the first is kept. */
void outcome_problem(struct outcome *o, const char *text);

/* One thread. Ends the interval and adds it to the totals. If there is a log, all series of the interval with values are written to it;
 * `start` and `length` are in ns. Returns 0 or a negative code. */
int outcome_interval(struct outcome *o, FILE *log, uint64_t start, uint64_t length);
/* Sums one kind of time over all types, for the last interval or for the whole run so far. `sum` must be initialized; it is emptied
 * first. */
void outcome_sum(const struct outcome *o, enum outcome_time time, bool interval, struct candor_histogram *sum);
/* Initializes a histogram with the range and precision of all histograms of the generator. */
int outcome_histogram(struct candor_histogram *h);

#endif
