/* The condition on which a recording copies itself to a file: "cpu>90%/10s". The program checks its syntax, and the agent applies it
 * (agent/collect/session/alarm.h). */
#ifndef CANDOR_BASE_AGREED_ALARM_RULE_H
#define CANDOR_BASE_AGREED_ALARM_RULE_H

#include "base/error.h"

#include <stdint.h>

enum { ALARM_RULE_TEXT_MAX = 64 };

/* The rule applies when the process, on average over the window, uses more CPU than the limit. The limit is `share` or `processors`. */
struct alarm_rule {
    char text[ALARM_RULE_TEXT_MAX]; /* as the user wrote it; empty = there is no rule */
    double share;                   /* a share of the processors that the process may use; 0 = use `processors` */
    double processors;              /* a number of processors; 0 if the limit is `share` */
    uint64_t window_ns;
};

/* Parses "cpu>90%" or "cpu>1.5" (processors). "/WINDOW" may follow, from 1s to 1h; without it the window is 10s. Returns 0, or -EINVAL
 * with an error that says what is wrong. */
int alarm_rule_parse(struct alarm_rule *rule, const char *text, struct error *e);

#endif
