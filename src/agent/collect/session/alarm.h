/* Checks the condition on which a recording copies itself (base/agreed/alarm_rule.h): a limit for the process's CPU time, averaged over a
 * sliding window. It reads only its arguments, and costs the program's threads nothing. Only the collector uses this file. */
#ifndef CANDOR_AGENT_COLLECT_SESSION_ALARM_H
#define CANDOR_AGENT_COLLECT_SESSION_ALARM_H

#include "base/agreed/alarm_rule.h"

#include <stdbool.h>
#include <stdint.h>

enum { ALARM_STEPS = 16, ALARM_MARKS = ALARM_STEPS + 2 };

struct alarm_mark {
    uint64_t now_ns, cpu_ns;
};

struct alarm {
    struct alarm_rule rule;
    double limit;                         /* in processors */
    struct alarm_mark marks[ALARM_MARKS]; /* a ring of measurements, a sixteenth of the window apart */
    uint32_t count;                       /* of all marks so far */
};

/* Begins the check. processors: how many processors the process may use. */
void alarm_begin(struct alarm *a, const struct alarm_rule *rule, double processors);
/* Whether it is time for the next measurement: a sixteenth of the window after the last. The CPU clock of a process with thousands of
 * threads is slow to read, so it is not read more often than needed. */
bool alarm_is_due(const struct alarm *a, uint64_t now_ns);
/* Whether the process used more than allowed, on average over the window, or over a longer time if the calls were late. It never rings
 * before the first window is over. *used: the average number of processors in use. */
bool alarm_rings(struct alarm *a, uint64_t now_ns, uint64_t cpu_ns, double *used);

#endif
