/* The condition on which a recording dumps itself: "cpu>90%/10s". The program checks the syntax, the agent applies it
 * (agent/collect/session/alarm.h). */
#ifndef CANDOR_BASE_AGREED_ALARM_RULE_H
#define CANDOR_BASE_AGREED_ALARM_RULE_H

#include "base/error.h"

#include <stdint.h>

enum { ALARM_RULE_TEXT_MAX = 64 };

/* The process uses more CPU than that, on average over the window. */
struct alarm_rule {
    char text[ALARM_RULE_TEXT_MAX]; /* as it was written; empty = there is no rule */
    double share;                   /* of the processors that it may use; 0 = */
    double processors;              /* this many */
    uint64_t window_ns;
};

/* "cpu>90%", "cpu>1.5" (processors), each with "/WINDOW" behind it, from 1s to 1h (10s without). 0, or -EINVAL with what is wrong. */
int alarm_rule_parse(struct alarm_rule *rule, const char *text, struct error *e);

#endif
