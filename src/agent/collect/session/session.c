#include "agent/collect/session/session.h"

#include <stdio.h>

#define NAME(symbol, name) name,
const char *const collect_event_names[COLLECT_EVENTS] = {RECORDING_EVENT_ROWS(NAME)};

#define ROOM(symbol, name) sizeof name +
_Static_assert(RECORDING_EVENT_ROWS(ROOM) 0 <= COLLECT_EVENTS_BYTES, "all names, each with a comma or the end");

char *collect_events_text(char out[COLLECT_EVENTS_BYTES], unsigned events)
{
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < COLLECT_EVENTS; i++)
        if (events >> i & 1)
            n += (size_t)snprintf(out + n, COLLECT_EVENTS_BYTES - n, "%s%s", n ? "," : "", collect_event_names[i]);
    return out;
}

uint32_t collect_without(const struct collect_options *options)
{
    bool counts = options->events & COLLECT_CPU && options->counter.name[0];
    uint32_t without = ~options->events & JFR_WITHOUT_EVENTS;
    without |= counts ? JFR_WITHOUT_CPU : JFR_WITHOUT_COUNTS;
    without |= options->code ? 0 : JFR_WITHOUT_CODE;
    without |= keep_is_limited(&options->keep) ? 0 : JFR_WITHOUT_BASES;
    return without;
}
