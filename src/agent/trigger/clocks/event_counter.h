/* The events that a clock can count in place of a thread's CPU time: events of the processor, events of the kernel, tracepoints.
 *
 *   page-faults, cache-misses, L1-dcache-load-misses ...   by the names that perf has for them
 *   r1a2b                                                  of the processor, by the number in its manual, hexadecimal
 *   sched:sched_switch                                     a tracepoint, named as in /sys/kernel/tracing/events
 *
 * Handlers must not call these functions. */
#ifndef CANDOR_AGENT_TRIGGER_CLOCKS_EVENT_COUNTER_H
#define CANDOR_AGENT_TRIGGER_CLOCKS_EVENT_COUNTER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EVENT_COUNTER_NAME_MAX = 96 };

struct event_counter {
    char name[EVENT_COUNTER_NAME_MAX]; /* as in the request; empty = CPU time */
    uint32_t type;                     /* of struct perf_event_attr, like config */
    uint64_t config;
    uint64_t interval; /* the default number of events between two samples */
    uint64_t least;    /* the least number; with fewer, most events would come from the samples themselves */
    bool in_kernel;    /* it happens only in the kernel */
};

/* Finds the event. Returns 0, or a negative code with a one-line message: there is no such event, or no access to tracepoints. Whether the
 * machine can count it is known only when a clock is chosen. */
int event_counter_find(struct event_counter *out, const char *name, struct error *e);
/* Writes one line: why the kernel refuses to count the event, and the remedy. Returns out. */
char *event_counter_refusal(const struct event_counter *c, int rc, char *out, size_t size);

#endif
