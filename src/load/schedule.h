/* When request n is due: steps of a rate, or of a rate that rises or falls evenly. The schedule knows nothing of answers. */
#ifndef CANDOR_LOAD_SCHEDULE_H
#define CANDOR_LOAD_SCHEDULE_H

#include "base/error.h"

#include <stdint.h>

enum { SCHEDULE_STEPS_MAX = 32, SCHEDULE_RATE_MAX = 1000000 };

struct schedule_step {
    double from, to; /* requests per second at its two ends */
    double length;   /* s; INFINITY for the last */
    double before;   /* requests due before it */
    double start;    /* s since the schedule's start */
};

struct schedule {
    struct schedule_step steps[SCHEDULE_STEPS_MAX];
    uint32_t count;
};

/* "1000", or steps "RATE[-RATE][:TIME],...": "0-1000:10s,1000". A last step without a time goes on forever; one with a time goes on at its
 * last rate. 0 or -EINVAL. */
int schedule_parse(struct schedule *s, const char *text, struct error *e);
/* ns from the start to the moment request n (from 0) is due; UINT64_MAX = never. */
uint64_t schedule_due(const struct schedule *s, uint64_t n);
/* The first n that is due at `ns` or later. */
uint64_t schedule_count(const struct schedule *s, uint64_t ns);

#endif
