#include "agent/collect/sampling/sinks.h"

#include "base/text/units.h"
#include "base/time_units.h"

#include <string.h>

/* The pace of clocks that continue although the recordings with the event cpu have ended, because they cannot be taken away
 * (clock_may_be_taken). A thread adopts a new pace at an expiry, so the next such recording must not have to wait long for one. */
#define UNWANTED_PACE_NS (100 * NS_PER_MS)

struct sink sinks[COLLECT_AT_ONCE];

static struct sinks_of of;
static uint64_t pace_ns;

void sinks_begin(const struct sinks_of *them)
{
    of = *them;
    memset(sinks, 0, sizeof sinks);
    pace_ns = 0;
}

void sinks_aim(const struct sink *only)
{
    struct jfr_writer *writers[COLLECT_AT_ONCE];
    uint32_t count = 0;
    EACH_SINK(s)
    if (!only || s == only)
        writers[count++] = s->recording.writer;
    jfr_tee_aim(of.whole->writer, writers, count);
}

int sinks_open(uint32_t place, const struct collect_options *options, struct error *e)
{
    struct sink *s = &sinks[place];
    uint32_t without = collect_without(options);
    bool joins = sinks_count() != 0;
    memset(s, 0, sizeof *s);
    int rc = recording_open_part(&s->recording, of.whole, options->file, options->passed ? options->descriptor : -1, options->duration_ns,
                                 &options->keep, joins ? without & ~(uint32_t)JFR_WITHOUT_BASES : without, e);
    if (rc)
        return rc;
    s->runs = true;
    s->place = place;
    s->has_joined = joins;
    s->options = *options;
    s->recording.jfr = options->jfr;
    s->thin.random = clock_monotonic_ns() | 1;
    sinks_aim(NULL);
    return 0;
}

void sinks_close(struct sink *s)
{
    s->runs = false;
    sinks_aim(NULL);
}

uint32_t sinks_count(void)
{
    uint32_t count = 0;
    EACH_SINK(s)
    count++;
    return count;
}

unsigned sinks_events(void)
{
    unsigned events = 0;
    EACH_SINK(s)
    events |= s->options.events;
    return events;
}

bool sinks_want_code(void)
{
    bool wants = false;
    EACH_SINK(s)
    wants |= s->options.code;
    return wants;
}

enum heal_mode sinks_heal_mode(void)
{
    enum heal_mode mode = HEAL_OFF;
    EACH_SINK(s)
    mode = s->options.heal > mode ? s->options.heal : mode;
    return mode;
}

struct clock sink_clock(const struct sink *s)
{
    struct clock clock = *of.clock;
    clock.interval_ns = s->options.interval_ns;
    return clock;
}

/* ---- how often ---- */

void sinks_begin_pace(struct sink *s)
{
    clock_pace_begin(&s->pace, &s->options.limits, s->options.interval_ns, of.books);
}

void sinks_keep_pace(uint64_t other_ns, uint64_t now)
{
    uint64_t interval = UINT64_MAX, shortest = UINT64_MAX;
    EACH_SINK(s)
    {
        if (!sink_has_cpu(s))
            continue;
        sinks_aim(s);
        clock_pace_keep(&s->pace, of.books, other_ns, now);
        interval = s->options.interval_ns < interval ? s->options.interval_ns : interval;
        shortest = s->pace.budget.pace_ns < shortest ? s->pace.budget.pace_ns : shortest;
    }
    sinks_aim(NULL);
    if (of.clock->kind == CLOCK_NONE)
        return;
    if (shortest == UINT64_MAX)
        shortest = interval = UNWANTED_PACE_NS;
    pace_ns = shortest;
    of.clock->interval_ns = interval;
    clock_set_interval(interval);
    clock_set_pace(shortest);
}

uint64_t sinks_pace_ns(void)
{
    return pace_ns;
}

bool sinks_are_tight(void)
{
    bool tight = false;
    EACH_SINK(s)
    tight |= sink_has_cpu(s) && budget_is_tight(&s->pace.budget);
    return tight;
}

uint64_t sink_weigh(struct sink *s, uint64_t weight_ns)
{
    uint64_t own = s->pace.budget.pace_ns;
    return thin_take(&s->thin, own > pace_ns ? own : 0, weight_ns);
}
