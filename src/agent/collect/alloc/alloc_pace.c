#include "agent/collect/alloc/alloc_pace.h"

#include "agent/trigger/jvm/alloc_events.h"
#include "base/time_units.h"

#include <stdbool.h>

enum { LOOK_NS = NS_PER_S, BURST_SECONDS = 2, BURST_SAMPLES = 1000, BURST_RATES = 10 };

static const double steady = 1.2; /* the interval changes only if it is wrong by at least this factor */
/* The share of the newest second in the running estimate of allocated bytes, if it is higher and if it is lower than the estimate. With few
 * samples a second often has none, so a single high value counts less than a low one. */
static const double rising = 0.5, falling = 0.75;

void alloc_pace_begin(struct alloc_pace *p, uint64_t rate, uint64_t interval, uint64_t now_ns)
{
    *p = (struct alloc_pace){.rate = rate, .interval = interval, .looked_ns = now_ns, .bytes_per_second = -1};
}

static uint64_t clamped(double interval)
{
    if (interval < ALLOC_PACE_INTERVAL_MIN)
        return ALLOC_PACE_INTERVAL_MIN;
    return interval > (double)ALLOC_INTERVAL_MAX ? ALLOC_INTERVAL_MAX : (uint64_t)interval;
}

uint64_t alloc_pace_next(struct alloc_pace *p, uint64_t now_ns, uint64_t bytes, uint64_t samples)
{
    uint64_t elapsed = now_ns - p->looked_ns;
    bool burst = samples - p->looked_samples > 2 * p->rate;
    if (!elapsed || (elapsed < LOOK_NS && !burst))
        return p->interval;
    double now = (double)(bytes - p->looked_bytes) * NS_PER_S / (double)elapsed;
    bool known = p->bytes_per_second >= 0;
    double weight = burst || !known ? 1 : now < p->bytes_per_second ? falling : rising;
    p->bytes_per_second += weight * (now - p->bytes_per_second);
    p->looked_ns = now_ns;
    p->looked_bytes = bytes;
    p->looked_samples = samples;
    uint64_t wanted = clamped(p->bytes_per_second / (double)p->rate);
    if ((double)wanted > steady * (double)p->interval || steady * (double)wanted < (double)p->interval)
        p->interval = wanted;
    return p->interval;
}

int64_t alloc_pace_tokens(uint64_t rate, int64_t left, uint64_t elapsed_ns)
{
    double most = (double)(BURST_SECONDS * rate + BURST_SAMPLES);
    double now = (left > 0 ? (double)left : 0) + (double)BURST_RATES * (double)rate * (double)elapsed_ns / NS_PER_S;
    return (int64_t)(now < most ? now : most);
}
