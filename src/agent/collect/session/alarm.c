#include "agent/collect/session/alarm.h"

#include <stddef.h>

void alarm_begin(struct alarm *a, const struct alarm_rule *rule, double processors)
{
    *a = (struct alarm){.rule = *rule, .limit = rule->share > 0 ? rule->share * processors : rule->processors};
}

static const struct alarm_mark *mark(const struct alarm *a, uint32_t age)
{
    return &a->marks[(a->count - 1 - age) % ALARM_MARKS];
}

bool alarm_is_due(const struct alarm *a, uint64_t now_ns)
{
    return !a->count || now_ns - mark(a, 0)->now_ns >= a->rule.window_ns / ALARM_STEPS;
}

/* Returns the youngest mark that is at least as old as the window, or NULL. */
static const struct alarm_mark *window_begin(const struct alarm *a, uint64_t now_ns)
{
    for (uint32_t age = 0; age < a->count && age < ALARM_MARKS; age++)
        if (now_ns - mark(a, age)->now_ns >= a->rule.window_ns)
            return mark(a, age);
    return NULL;
}

bool alarm_rings(struct alarm *a, uint64_t now_ns, uint64_t cpu_ns, double *used)
{
    const struct alarm_mark *begin = window_begin(a, now_ns);
    *used = begin ? (double)(cpu_ns - begin->cpu_ns) / (double)(now_ns - begin->now_ns) : 0;
    if (alarm_is_due(a, now_ns))
        a->marks[a->count++ % ALARM_MARKS] = (struct alarm_mark){now_ns, cpu_ns};
    return begin && *used > a->limit;
}
