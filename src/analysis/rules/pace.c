#include "analysis/rules/pace.h"

#include "base/text/units.h"

#include <math.h>
#include <stdio.h>

#define HARDLY 0.9

enum { LOOKS_LEAST = 10 };

/* Returns the part of the time of the threads that could run in which they had no processor. */
static double part_ready(const struct profile *wall)
{
    double ready = 0, all = 0;
    uint64_t looks = 0;
    for (uint32_t i = 0; i < wall->sample_count; i++) {
        const struct profile_sample *s = &wall->samples[i];
        bool is_ready = s->state == JFR_STATE_READY;
        if (jfr_state_waits((enum jfr_thread_state)s->state) && !is_ready)
            continue;
        ready += is_ready ? (double)s->weight : 0;
        all += (double)s->weight;
        looks += s->count;
    }
    return looks >= LOOKS_LEAST && all > 0 ? ready / all : 0;
}

double pace(const struct evidence *e)
{
    double all = (double)e->processors * (double)e->duration_ns;
    if (!e->wall || !evidence_has(e, SOURCE_WALL) || !e->cpu || e->cpu->unit != PROFILE_UNIT_NS || all <= 0)
        return 1;
    /* The program's own threads stop in a halt; what they used is free then. */
    double used = fmin(1, (double)e->cpu->weight / all);
    return 1 - part_ready(e->wall) * (1 - used);
}

/* Returns the most CPU time that the JVM may have used during the halt. */
static double used_in(const struct profile *cpu, const struct halt *halt)
{
    double sum = 0, squares = 0, largest = 0;
    for (uint32_t i = 0; i < cpu->sample_count; i++) {
        const struct profile_sample *s = &cpu->samples[i];
        if (s->time_ns < halt->start_ns || s->time_ns >= halt_end(halt))
            continue;
        sum += (double)s->weight;
        squares += (double)s->weight * (double)s->weight;
        largest = fmax(largest, (double)s->weight);
    }
    return amount_normal(sum, sqrt(squares)).high + largest; /* the next sample also stands for a part of it */
}

struct amount pace_halt(const struct evidence *e, const struct halt *halt)
{
    struct amount ns = amount_exact((double)halt->ns);
    double part = pace(e);
    ns.low *= part;
    if (part < HARDLY)
        ns.low = fmin(ns.low, used_in(e->cpu, halt));
    return ns;
}

const char *pace_note(char *text, size_t size, const struct amount *halt)
{
    char low[32];
    *text = 0;
    if (halt->low < HARDLY * halt->value)
        snprintf(text, size, "; other programs used the processors, too: without them at least %s",
                 units_format_duration(low, sizeof low, amount_whole(halt->low)));
    return text;
}
