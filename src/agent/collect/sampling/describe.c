#include "agent/collect/sampling/describe.h"

#include "agent/collect/heal/heal.h"
#include "agent/collect/sampling/parts.h"
#include "agent/hot/signal/handler.h"
#include "base/text/units.h"

#include <stdio.h>

void describe_recording(struct recording *r, const struct collect_options *options, const struct clock *clock, bool late)
{
    char events[COLLECT_EVENTS_BYTES];
    if (options->events & COLLECT_CPU)
        recording_describe(r, clock, late);
    else
        recording_describe_without_clock(r, clock->interval_ns, late);
    heal_describe();
    parts_describe();
    collect_events_text(events, options->events);
    recording_describe_events(r, clock_counts(clock) ? clock->counter.name : events);
}

void describe_comparison(struct recording *r)
{
    char name[64], value[32];
    if (handler_config.walker != WALKER_COMPARE)
        return;
    for (int i = 0; i < AGCT_VERDICTS; i++) {
        snprintf(name, sizeof name, "walker_%s", agct_verdict_names[i]);
        snprintf(value, sizeof value, "%llu", (unsigned long long)counter_get(&agct_verdicts[i]));
        jfr_write_setting(r->writer, clock_monotonic_ns(), name, value);
    }
}
