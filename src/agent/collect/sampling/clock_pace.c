#include "agent/collect/sampling/clock_pace.h"

#include "agent/collect/sampling/parts.h"
#include "agent/collect/session/warnings.h"
#include "agent/trigger/clocks/clock.h"
#include "base/text/units.h"

static struct {
    const struct books *books;
    struct budget budget;
    bool told_hopeless;
} session;

static struct budget_usage usage(uint64_t now)
{
    return (struct budget_usage){.wall_ns = now,
                                 .cpu_ns = clock_process_cpu(),
                                 .own_ns = books_own_cpu() + parts_cost_ns(),
                                 .samples = session.books->samples,
                                 .samples_ns = books_samples_ns(session.books)};
}

void clock_pace_begin(const struct budget_limits *limits, uint64_t interval_ns, const struct books *books)
{
    session.books = books;
    session.told_hopeless = false;
    struct budget_usage none = usage(clock_monotonic_ns());
    budget_begin(&session.budget, limits, interval_ns, &none);
}

void clock_pace_keep(uint64_t now)
{
    const struct budget_limits *limits = &session.budget.limits;
    if (!limits->max_rate && !limits->max_overhead)
        return;
    struct budget_usage used = usage(now);
    clock_set_pace(budget_pace(&session.budget, &used));
    if (!budget_is_hopeless(&session.budget) || session.told_hopeless)
        return;
    session.told_hopeless = true;
    warnings_write(now, "max-overhead cannot be met: the agent's own thread and the samples of other events take more; raise the limit");
}

bool clock_pace_is_tight(void)
{
    return budget_is_tight(&session.budget);
}

uint64_t clock_pace_ns(void)
{
    return session.budget.pace_ns;
}
