/* The course of a run: a row for each interval, for the HTML page and the profile. A file of its own, because both read and change it. */
#ifndef CANDOR_CLI_LOAD_INTERVALS_H
#define CANDOR_CLI_LOAD_INTERVALS_H

#include "load/config.h"

struct load_interval {
    double at, length;              /* s: its end after the start of the run */
    int64_t end_ns;                 /* since the epoch */
    double rate, failed;            /* a second */
    double response, service, late; /* p99 in ns; 0 = no request */
    double response_most, service_most;
    double stopped; /* ns in which all threads of the server stood still, if it is profiled */
};

struct load_intervals {
    struct load_interval *list;
    uint32_t count, cap;
    uint64_t failed_before;
    bool no_memory; /* the list is not complete */
};

/* Adds an interval; those of the warm-up are left out. */
void load_intervals_note(struct load_intervals *l, const struct load_tick *tick);
void load_intervals_deinit(struct load_intervals *l);

#endif
