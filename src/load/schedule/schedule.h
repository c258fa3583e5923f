/* Computes when request n is due. A schedule has steps with a constant rate, or with a rate that rises or falls evenly. It does not
 * depend on answers. */
#ifndef CANDOR_LOAD_SCHEDULE_H
#define CANDOR_LOAD_SCHEDULE_H

#include "base/error.h"

#include <stdint.h>

enum { SCHEDULE_STEPS_MAX = 32, SCHEDULE_RATE_MAX = 1000000 };

struct schedule_step {
    double from, to; /* requests per second at its two ends */
    double length;   /* s; INFINITY for the last step */
    double before;   /* number of requests that are due before the step */
    double start;    /* s since the schedule's start */
};

struct schedule {
    struct schedule_step steps[SCHEDULE_STEPS_MAX];
    uint32_t count;
    uint64_t *arrivals; /* by request, in ns, ascending: instead of the steps (arrivals.h); NULL = even arrivals */
    uint64_t arrival_count;
};

/* Parses "1000", or steps "RATE[-RATE][:TIME],...", such as "0-1000:10s,1000". A last step without a time never ends. After a last step
 * with a time, the schedule continues at its last rate. Returns 0 or -EINVAL. */
int schedule_parse(struct schedule *s, const char *text, struct error *e);
void schedule_deinit(struct schedule *s);
/* Returns the time in ns at which the steps have had `n` requests, a fraction too; UINT64_MAX = never. */
uint64_t schedule_at(const struct schedule *s, double n);
/* Returns the time in ns from the start until request n (from 0) is due; UINT64_MAX = never. */
uint64_t schedule_due(const struct schedule *s, uint64_t n);
/* Returns the first n that is due at `ns` or later. */
uint64_t schedule_count(const struct schedule *s, uint64_t ns);

#endif
