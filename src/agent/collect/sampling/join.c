#include "agent/collect/sampling/join.h"

#include <errno.h>

static int refuse(const char *what, struct error *e)
{
    return error_set(e, -EBUSY,
                     "already recording, and a second recording like this is not possible at the same time: %s; stop the first one", what);
}

static int check_events(const struct collect_options *wanted, const struct collect_options *now, struct error *e)
{
    if ((wanted->events | now->events) & COLLECT_LIVE)
        return refuse("only one recording at a time can have the event live, which watches objects from the beginning on", e);
    if (wanted->jfr)
        return refuse("only one recording at a time can include the JDK's recorder (jfr)", e);
    return 0;
}

static int check_clock(const struct collect_options *wanted, const struct collect_options *now, const struct clock *clock, struct error *e)
{
    if (!(wanted->events & COLLECT_CPU))
        return 0;
    if (!(now->events & COLLECT_CPU) && !wanted->counter.name[0])
        return 0;
    if (wanted->counter.name[0] || now->counter.name[0])
        return refuse("the clocks count a single event, so two recordings cannot count different ones", e);
    if (wanted->clock != CLOCK_AUTO && wanted->clock != clock->kind)
        return error_set(e, -EBUSY, "already recording, with clock=%s; leave out clock, or stop that recording first",
                         clock_names[clock->kind]);
    if (wanted->has_clocks && wanted->clocks != now->clocks)
        return error_set(e, -EBUSY, "already recording, with clocks=%s; leave out clocks, or stop that recording first",
                         lots_mode_names[now->clocks]);
    return 0;
}

static int check_stacks(const struct collect_options *wanted, const struct collect_options *now, struct error *e)
{
    if (wanted->walker != WALKER_AUTO && wanted->walker != now->walker)
        return refuse("all recordings must use the same stack walker (walker)", e);
    if (wanted->carrier_frames != now->carrier_frames)
        return refuse("all recordings must have the same setting of carrier-frames", e);
    return 0;
}

/* Checks options that must be the same in all recordings with the event, because the event's part samples once for all of them. */
static int check_rates(const struct collect_options *wanted, const struct collect_options *now, struct error *e)
{
    unsigned events = wanted->events & now->events;
    if (events & COLLECT_ALLOC && (wanted->alloc.rate != now->alloc.rate || wanted->alloc.interval != now->alloc.interval))
        return refuse("all recordings must sample allocations at the same rate (alloc-rate, alloc-interval)", e);
    if (events & COLLECT_LOCK && (wanted->lock.rate != now->lock.rate || wanted->lock.has_threshold != now->lock.has_threshold ||
                                  wanted->lock.threshold_ns != now->lock.threshold_ns))
        return refuse("all recordings must have the same threshold for waits (lock-threshold, lock-rate)", e);
    return 0;
}

int join_check(const struct collect_options *wanted, const struct collect_options *now, const struct clock *clock, struct error *e)
{
    int rc = check_events(wanted, now, e);
    rc = rc ? rc : check_clock(wanted, now, clock, e);
    rc = rc ? rc : check_stacks(wanted, now, e);
    return rc ? rc : check_rates(wanted, now, e);
}
