/* What a clock can count instead of a thread's CPU time: events of the processor, events of the kernel, tracepoints.
 *
 *   page-faults, cache-misses, L1-dcache-load-misses ...   by the names that perf has for them
 *   r1a2b                                                  of the processor, by the number in its manual, hexadecimal
 *   sched:sched_switch                                     a tracepoint, as /sys/kernel/tracing/events has it
 *
 * Not for handlers. */
#ifndef CANDOR_AGENT_TRIGGER_CLOCKS_EVENT_COUNTER_H
#define CANDOR_AGENT_TRIGGER_CLOCKS_EVENT_COUNTER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EVENT_COUNTER_NAME_MAX = 96 };

struct event_counter {
    char name[EVENT_COUNTER_NAME_MAX]; /* as it was asked for; empty = CPU time */
    uint32_t type;                     /* of struct perf_event_attr, as the next */
    uint64_t config;
    uint64_t interval; /* how many between two samples, where nobody says */
    uint64_t least;    /* no fewer: of fewer the samples themselves would have as many */
    bool in_kernel;    /* where alone it happens */
};

/* 0, or a negative code with one line: no such event, or no access to tracepoints. Whether the machine can count it is known when a
 * clock is chosen. */
int event_counter_find(struct event_counter *out, const char *name, struct error *e);
/* Why the kernel refuses to count it, and the remedy, in one line. Returns out. */
char *event_counter_refusal(const struct event_counter *c, int rc, char *out, size_t size);

#endif
