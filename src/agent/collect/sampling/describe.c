#include "agent/collect/sampling/describe.h"

#include "agent/collect/clock/lots.h"
#include "agent/collect/heal/heal.h"
#include "agent/collect/sampling/parts.h"
#include "agent/hot/signal/handler.h"
#include "base/text/units.h"

#include <stdio.h>

void describe_clocks(struct recording *r)
{
    uint64_t now = clock_monotonic_ns();
    jfr_write_setting(r->writer, now, "clocks", lots_word());
    jfr_write_setting(r->writer, now, "clocks_reason", lots_reason());
}

void describe_recording(struct sink *s, bool late)
{
    char events[COLLECT_EVENTS_BYTES];
    const struct clock clock = sink_clock(s);
    bool has_cpu = sink_has_cpu(s);
    if (has_cpu) {
        recording_describe(&s->recording, &clock, late);
        describe_clocks(&s->recording);
    } else
        recording_describe_without_clock(&s->recording, clock.interval_ns, late);
    sinks_aim(s);
    heal_describe();
    parts_describe(s);
    sinks_aim(NULL);
    collect_events_text(events, s->options.events);
    recording_describe_events(&s->recording, has_cpu && clock_counts(&clock) ? clock.counter.name : events);
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
