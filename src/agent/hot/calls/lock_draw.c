#include "agent/hot/calls/lock_draw.h"

#include "agent/hot/signal/handler.h"

static void begin_stratum(struct lock_draw *d, uint64_t threshold)
{
    d->stratum = threshold;
    d->used = 0;
    d->point = handler_random(&d->random) % threshold;
}

/* A wait below the threshold ends in the stratum in which it began, or in the next one. It may end in the one after that, if the first
 * stratum began with a lower threshold. */
uint64_t lock_draw(struct lock_draw *d, uint64_t wait, uint64_t threshold)
{
    uint64_t weight = 0;
    if (wait >= threshold)
        return wait;
    if (!d->stratum)
        begin_stratum(d, threshold);
    while (wait) {
        uint64_t left = d->stratum - d->used, part = wait < left ? wait : left;
        if (d->point >= d->used && d->point - d->used < part)
            weight += d->stratum;
        d->used += part;
        wait -= part;
        if (d->used == d->stratum)
            begin_stratum(d, threshold);
    }
    return weight;
}
