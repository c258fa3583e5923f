#include "agent/collect/lock/lock_pace.h"

#include "base/time_units.h"

enum { LOOK_NS = NS_PER_S };

/* In multiples of the rate: the smallest deviations that cause a change, and the largest changes per look. Waits longer than the threshold
 * are always recorded. Their number falls more slowly than the threshold rises, so more than one look may be needed. */
static const double too_many = 1.2, too_few = 0.5, fastest_rise = 16, fastest_fall = 0.5;

void lock_pace_begin(struct lock_pace *p, uint64_t rate, uint64_t threshold, uint64_t now_ns)
{
    *p = (struct lock_pace){.rate = rate, .floor = threshold, .threshold = threshold, .looked_ns = now_ns};
}

static void rise(struct lock_pace *p, double times)
{
    double from = (double)(p->threshold > LOCK_PACE_LEAST_NS ? p->threshold : LOCK_PACE_LEAST_NS);
    double to = from * (times > fastest_rise ? fastest_rise : times);
    p->threshold = to < (double)LOCK_PACE_MOST_NS ? (uint64_t)to : LOCK_PACE_MOST_NS;
}

static void fall(struct lock_pace *p, double times)
{
    p->threshold = (uint64_t)((double)p->threshold * (times < fastest_fall ? fastest_fall : times));
    if (p->threshold <= p->floor || p->threshold < LOCK_PACE_LEAST_NS)
        p->threshold = p->floor;
}

uint64_t lock_pace_next(struct lock_pace *p, uint64_t now_ns, uint64_t samples)
{
    uint64_t elapsed = now_ns - p->looked_ns, taken = samples - p->looked_samples;
    if (!elapsed || (elapsed < LOOK_NS && taken <= 2 * p->rate))
        return p->threshold;
    double times = (double)taken * NS_PER_S / (double)elapsed / (double)p->rate;
    p->looked_ns = now_ns;
    p->looked_samples = samples;
    if (times > too_many)
        rise(p, times);
    else if (times < too_few && p->threshold > p->floor)
        fall(p, 2 * times);
    return p->threshold;
}
