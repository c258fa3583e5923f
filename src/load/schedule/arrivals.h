/* Arrivals of requests that are not even: a Poisson process whose rate follows the steps of a schedule, or a trace from a file. They are
 * computed before the run, so that any thread knows when request n is due. */
#ifndef CANDOR_LOAD_ARRIVALS_H
#define CANDOR_LOAD_ARRIVALS_H

#include "base/error.h"
#include "load/schedule/schedule.h"

enum {
    ARRIVALS_MOST = 100000000,      /* 800 MB */
    ARRIVALS_SECONDS_MOST = 1000000 /* 11 days, as for all times of a run */
};

/* Replaces the even arrivals of a schedule by those of a Poisson process with the same rate at each moment, up to `length` ns. Returns 0,
 * or a negative code with e. */
int arrivals_poisson(struct schedule *s, uint64_t length, uint64_t seed, struct error *e);
/* Reads a trace: a time in seconds on each line, ascending; '#' begins a comment. The first is the start of the run. Returns 0 or a
 * negative code with e. */
int arrivals_read(struct schedule *s, const char *file, struct error *e);

#endif
