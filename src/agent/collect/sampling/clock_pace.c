#include "agent/collect/sampling/clock_pace.h"

#include "agent/collect/session/warnings.h"
#include "agent/trigger/clocks/clock.h"
#include "base/text/units.h"

static struct budget_usage usage(const struct clock_pace *p, const struct books *books, uint64_t now)
{
    return (struct budget_usage){.wall_ns = now,
                                 .cpu_ns = clock_process_cpu(),
                                 .own_ns = books_own_cpu() + p->other_ns,
                                 .samples = books->samples,
                                 .samples_ns = books_samples_ns(books)};
}

void clock_pace_begin(struct clock_pace *p, const struct budget_limits *limits, uint64_t interval_ns, const struct books *books)
{
    p->other_ns = 0;
    p->other_seen = UINT64_MAX;
    p->told_hopeless = false;
    struct budget_usage none = usage(p, books, clock_monotonic_ns());
    budget_begin(&p->budget, limits, interval_ns, &none);
}

/* Adds the cost of other events. An event that begins or ends during the recording restarts its count at zero, so a lower value than before
 * adds no cost. */
static void add_others(struct clock_pace *p, uint64_t other_ns)
{
    if (other_ns > p->other_seen)
        p->other_ns += other_ns - p->other_seen;
    p->other_seen = other_ns;
}

void clock_pace_keep(struct clock_pace *p, const struct books *books, uint64_t other_ns, uint64_t now)
{
    const struct budget_limits *limits = &p->budget.limits;
    if (!limits->max_rate && !limits->max_overhead)
        return;
    add_others(p, other_ns);
    struct budget_usage used = usage(p, books, now);
    budget_pace(&p->budget, &used);
    if (!budget_is_hopeless(&p->budget) || p->told_hopeless)
        return;
    p->told_hopeless = true;
    warnings_write(now, "max-overhead cannot be met: the agent's own thread and the samples of other events take more; raise the limit");
}
