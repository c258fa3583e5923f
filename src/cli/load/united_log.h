/* One log of the logs of several agents. Other readers of logs expect intervals in the order of time, so they are kept, in their encoded
 * form, and written when all are known. A file of its own, because it knows nothing of agents. */
#ifndef CANDOR_CLI_LOAD_UNITED_LOG_H
#define CANDOR_CLI_LOAD_UNITED_LOG_H

#include "candor/histogram.h"

#include <stdint.h>
#include <stdio.h>

struct united_interval {
    double start, length; /* s after the start of the measurement */
    const char *tag;
    char *payload; /* the encoded histogram */
};

struct united_log { /* {0} = empty */
    struct united_interval *list;
    uint32_t count, cap;
};

/* Keeps an interval. The tag must outlive it; `start` is in s. Returns 0 or -ENOMEM. */
int united_log_keep(struct united_log *all, const char *tag, double start, const struct candor_histogram_log_entry *entry);
/* Writes all intervals after the log's head. Returns 0 or a negative code. */
int united_log_write(struct united_log *all, FILE *log);
void united_log_deinit(struct united_log *all);

#endif
