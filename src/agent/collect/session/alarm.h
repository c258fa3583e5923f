/* Watches for the condition on which a recording copies itself (base/agreed/alarm_rule.h): the process's CPU clock, averaged over a
 * sliding window. It reads nothing but its arguments, and costs the program's threads nothing. Collector only. */
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
    struct alarm_mark marks[ALARM_MARKS]; /* a ring, a sixteenth of the window apart */
    uint32_t count;                       /* of marks that were ever set */
};

/* processors: how many the process may use. */
void alarm_begin(struct alarm *a, const struct alarm_rule *rule, double processors);
/* Whether it is time to look again: a sixteenth of the window after the last look. So the CPU clock of a process with thousands of
 * threads, which is slow to read, is not read more often than needed. */
bool alarm_is_due(const struct alarm *a, uint64_t now_ns);
/* Whether the process used more than allowed, on average over the window, or over longer if the calls were late; never before the
 * first window is over. *used: processors. */
bool alarm_rings(struct alarm *a, uint64_t now_ns, uint64_t cpu_ns, double *used);

#endif
