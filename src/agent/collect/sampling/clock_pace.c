#include "agent/collect/sampling/clock_pace.h"

#include "agent/collect/session/warnings.h"
#include "agent/trigger/clocks/clock.h"
#include "base/text/units.h"

static struct budget_usage usage(const struct books *books, uint64_t others_ns, uint64_t now)
{
    return (struct budget_usage){.wall_ns = now,
                                 .cpu_ns = clock_process_cpu(),
                                 .own_ns = books_own_cpu() + others_ns,
                                 .samples = books->samples,
                                 .samples_ns = books_samples_ns(books)};
}

void clock_pace_begin(struct clock_pace *p, const struct budget_limits *limits, uint64_t interval_ns, const struct books *books,
                      uint64_t others_ns)
{
    struct budget_usage none = usage(books, others_ns, clock_monotonic_ns());
    p->told_hopeless = false;
    budget_begin(&p->budget, limits, interval_ns, &none);
}

void clock_pace_keep(struct clock_pace *p, const struct books *books, uint64_t others_ns, uint64_t now)
{
    const struct budget_limits *limits = &p->budget.limits;
    if (!limits->max_rate && !limits->max_overhead)
        return;
    struct budget_usage used = usage(books, others_ns, now);
    budget_pace(&p->budget, &used);
    if (!budget_is_hopeless(&p->budget) || p->told_hopeless)
        return;
    p->told_hopeless = true;
    warnings_write(now, "max-overhead cannot be met: the agent's own thread and the samples of other events take more; raise the limit");
}
