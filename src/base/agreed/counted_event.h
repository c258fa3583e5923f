/* The events that perf counts, by their perf names; also event numbers from the processor's manual (r1a2b) and tracepoints
 * (sched:sched_switch). Pure tables: the agent finds out whether a machine can count one. */
#ifndef CANDOR_BASE_AGREED_COUNTED_EVENT_H
#define CANDOR_BASE_AGREED_COUNTED_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct counted_event {
    uint32_t type; /* of struct perf_event_attr, as the next, which of a tracepoint is not known here */
    uint64_t config;
    uint64_t interval; /* how many between two samples, where nobody says */
    uint64_t least;    /* no fewer: of fewer the samples themselves would have as many */
    bool in_kernel;    /* where alone it happens */
};

/* False: no event has this name. */
bool counted_event_find(struct counted_event *out, const char *name);

#endif
