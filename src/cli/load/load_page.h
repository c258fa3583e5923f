/* The report of a run as an HTML page: figures, percentiles, the course over time, and both views beside each other, in words: what callers
 * waited, and what a loop that waits for answers would have shown. The page needs no script and no other file. */
#ifndef CANDOR_CLI_LOAD_LOAD_PAGE_H
#define CANDOR_CLI_LOAD_LOAD_PAGE_H

#include "load/load.h"

#include <stdio.h>

/* One interval of the run. */
struct load_page_interval {
    double at, rate, failed;        /* at: s; rate, failed: a second */
    double response, service, late; /* p99 in ns; 0 = no request */
    double response_most, service_most;
};

struct load_page {
    struct load_page_interval *intervals;
    uint32_t count, cap;
    uint64_t failed_before;
    bool no_memory;
};

void load_page_note(struct load_page *p, const struct load_tick *tick);
/* target: what was loaded, for the title. Returns 0 or -ENOMEM. */
int load_page_write(const struct load_page *p, FILE *out, const char *target, const struct load_config *config,
                    const struct load_result *result);
void load_page_deinit(struct load_page *p);

#endif
