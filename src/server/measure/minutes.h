/* The key metrics of one recording, minute by minute, while they are being computed.
 *
 *   minutes_init -> [ minutes_know, minutes_add, ... ]* -> minutes_take -> minutes_deinit
 *
 * An amount at a time that the recording does not cover counts in the nearest minute that it covers. So sums over all minutes are exact.
 * There is one owner and no locking. */
#ifndef CANDOR_SERVER_MEASURE_MINUTES_H
#define CANDOR_SERVER_MEASURE_MINUTES_H

#include "base/agreed/key_metrics.h"

struct minutes {
    int64_t start_ns, end_ns; /* since the epoch: what the recording covers */
    struct key_minute *list;  /* all minutes from the first to the last */
    uint32_t count;
    uint64_t known; /* metrics that every minute has */
};

/* Begins the minutes of a recording. Without a duration, or with one beyond all measure, it has no minutes, and the other functions do
 * nothing. Returns 0 or -ENOMEM. */
int minutes_init(struct minutes *m, int64_t start_ns, uint64_t duration_ns);
void minutes_deinit(struct minutes *m);
/* Notes that the recording has the metric: minutes without an amount have 0. */
void minutes_know(struct minutes *m, enum key_metric metric);
bool minutes_knows(const struct minutes *m, enum key_metric metric);
/* Adds an amount at a time. Sums wrap around, as those of books do. */
void minutes_add(struct minutes *m, enum key_metric metric, int64_t time_ns, int64_t amount);
/* Does the same for a minute. */
void minutes_add_minute(struct minutes *m, enum key_metric metric, int64_t minute, int64_t amount);
/* Adds the nanoseconds of an interval, as far as the recording covers it, to the minutes in which they lie. */
void minutes_add_interval(struct minutes *m, enum key_metric metric, int64_t start_ns, uint64_t ns);
/* Adds an amount to all minutes, in proportion to the time that they cover. */
void minutes_spread(struct minutes *m, enum key_metric metric, int64_t amount);
/* Raises the amount of the minute to this one, if it is less. */
void minutes_raise(struct minutes *m, enum key_metric metric, int64_t time_ns, int64_t amount);
/* Sets the amount of one minute, which has the metric even if others do not. */
void minutes_set(struct minutes *m, enum key_metric metric, int64_t time_ns, int64_t amount);
/* Takes the list, for free. NULL and a count of 0 = the recording has no metric. */
struct key_minute *minutes_take(struct minutes *m, uint32_t *count);

#endif
