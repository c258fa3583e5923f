#include "agent/collect/session/session.h"

#include <stdio.h>

const char *const collect_event_names[COLLECT_EVENTS] = {"cpu", "wall", "alloc", "safepoint", "halt", "lock", "live"};

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
    uint32_t without = 0;
    without |= options->events & COLLECT_HALT ? 0 : JFR_WITHOUT_COLLECTIONS;
    without |= options->events & COLLECT_LOCK ? 0 : JFR_WITHOUT_WAITS;
    without |= options->events & COLLECT_ALLOC ? 0 : JFR_WITHOUT_ALLOCATIONS;
    without |= options->events & COLLECT_LIVE ? 0 : JFR_WITHOUT_OLD_OBJECTS;
    without |= options->events & COLLECT_WALL ? 0 : JFR_WITHOUT_WALL;
    without |= options->events & COLLECT_SAFEPOINT ? 0 : JFR_WITHOUT_SAFEPOINT;
    without |= options->events & COLLECT_CPU && !options->counter.name[0] ? 0 : JFR_WITHOUT_CPU;
    without |= options->events & COLLECT_CPU && options->counter.name[0] ? 0 : JFR_WITHOUT_COUNTS;
    without |= options->code ? 0 : JFR_WITHOUT_CODE;
    without |= keep_is_limited(&options->keep) ? 0 : JFR_WITHOUT_BASES;
    return without;
}
