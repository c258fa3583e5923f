#include "agent/collect/clock/budget.h"

#include "base/time_units.h"

#include <string.h>

static const double LEAST_PROCESSORS = 0.1; /* with fewer processors in use, a share of that use would be almost nothing */
static const double MARGIN = 1.1;
/* The part of the allowed overhead that samples always have, whatever the agent's thread uses. */
static const double LEAST_ROOM = 0.25;
static const double FALL_NS = NS_PER_S, LONG_NS = 3 * NS_PER_S; /* the time constants of the averages */

enum { STEP_NS = 50 * NS_PER_MS };
#define LONGEST_PACE_NS (10 * NS_PER_S)
#define HOPELESS_NS     (10 * NS_PER_S)

void budget_begin(struct budget *b, const struct budget_limits *limits, uint64_t interval_ns, const struct budget_usage *now)
{
    *b = (struct budget){.limits = *limits, .interval_ns = interval_ns, .pace_ns = interval_ns, .last = *now};
}

/* Returns an average over about `memory` ns. */
static double follow(double old, double value, double elapsed, double memory)
{
    return old + (value - old) * (elapsed < memory ? elapsed / memory : 1);
}

static void measure(struct budget *b, const struct budget_usage *now, double elapsed)
{
    double processors = (double)(now->cpu_ns - b->last.cpu_ns) / elapsed;
    uint64_t samples = now->samples - b->last.samples;
    b->processors = processors > b->processors ? processors : follow(b->processors, processors, elapsed, FALL_NS);
    b->use = follow(b->use, processors, elapsed, LONG_NS);
    b->own = follow(b->own, (double)(now->own_ns - b->last.own_ns) / elapsed, elapsed, LONG_NS);
    if (samples) {
        double cost = (double)(now->samples_ns - b->last.samples_ns) / (double)samples;
        b->sample_ns = b->sample_ns ? follow(b->sample_ns, cost, elapsed, FALL_NS) : cost;
    }
}

/* Returns the part of the allowed overhead that the agent's thread uses. If it is above 1, the thread alone uses more than is allowed. */
static double taken(const struct budget *b)
{
    double use = b->use > LEAST_PROCESSORS ? b->use : LEAST_PROCESSORS;
    return b->limits.max_overhead ? b->own / (b->limits.max_overhead * use) : 0;
}

static double pace_for_rate(const struct budget *b)
{
    return b->limits.max_rate ? b->processors * NS_PER_S / (double)b->limits.max_rate : 0;
}

/* Returns the shortest pace that keeps max_overhead. Samples cost the part sample_ns / pace of the program's CPU time, whatever that time
 * is. */
static double pace_for_overhead(const struct budget *b)
{
    double room = 1 - taken(b);
    if (!b->limits.max_overhead)
        return 0;
    if (room < LEAST_ROOM)
        room = LEAST_ROOM;
    return b->sample_ns / (room * b->limits.max_overhead);
}

uint64_t budget_pace(struct budget *b, const struct budget_usage *now)
{
    double elapsed = (double)(now->wall_ns - b->last.wall_ns);
    if (elapsed < STEP_NS)
        return b->pace_ns;
    measure(b, now, elapsed);
    b->last = *now;
    b->exceeded_ns = taken(b) > 1 ? b->exceeded_ns + (uint64_t)elapsed : 0;
    double rate = pace_for_rate(b), overhead = pace_for_overhead(b), least = rate > overhead ? rate : overhead;
    double pace = least * MARGIN < (double)LONGEST_PACE_NS ? least * MARGIN : (double)LONGEST_PACE_NS;
    bool is_enough = (double)b->pace_ns >= least, is_near = (double)b->pace_ns <= pace * MARGIN;
    if (pace <= (double)b->interval_ns)
        b->pace_ns = b->interval_ns;
    else if (!is_enough || !is_near)
        b->pace_ns = (uint64_t)pace;
    return b->pace_ns;
}

bool budget_is_tight(const struct budget *b)
{
    return taken(b) > 1 - LEAST_ROOM;
}

bool budget_is_hopeless(const struct budget *b)
{
    return b->exceeded_ns >= HOPELESS_NS;
}
