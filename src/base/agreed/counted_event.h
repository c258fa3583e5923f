/* The events that perf counts, by their perf names, by an event number from the processor's manual (r1a2b), or by the name of a
 * tracepoint (sched:sched_switch). This file only has tables. The agent finds out whether the machine can count an event. */
#ifndef CANDOR_BASE_AGREED_COUNTED_EVENT_H
#define CANDOR_BASE_AGREED_COUNTED_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct counted_event {
    uint32_t type; /* type and config are fields of struct perf_event_attr; for a tracepoint the agent looks config up */
    uint64_t config;
    uint64_t interval; /* the default number of events between two samples */
    uint64_t least;    /* the lowest interval; below it the events that sampling itself causes would be too many */
    bool in_kernel;    /* the event happens only in the kernel */
};

/* Finds the event of this name. Returns false if there is none. */
bool counted_event_find(struct counted_event *out, const char *name);

#endif
