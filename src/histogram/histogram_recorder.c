/* The interval recorder: two histograms and a writer-reader phaser.
 *
 * start_epoch counts writers that entered; while it is negative, the phase is odd. A writer notes the phase in which it entered,
 * records, and counts itself in that phase's end epoch when it leaves. The reader switches the active half, exchanges start_epoch for
 * the first value of the other phase, and waits until as many writers have left as had entered. Then no writer uses the half that was
 * active. */
#include "candor/histogram.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

int candor_recorder_init(struct candor_recorder *r, int64_t lowest, int64_t highest, int digits)
{
    memset(r, 0, sizeof *r);
    r->end_epoch[1] = INT64_MIN;
    if (!highest)
        return -EINVAL;
    int rc = candor_histogram_init(&r->halves[0], lowest, highest, digits);
    if (!rc)
        rc = candor_histogram_init(&r->halves[1], lowest, highest, digits);
    if (rc)
        candor_recorder_deinit(r);
    return rc;
}

void candor_recorder_deinit(struct candor_recorder *r)
{
    candor_histogram_deinit(&r->halves[0]);
    candor_histogram_deinit(&r->halves[1]);
}

bool candor_recorder_record(struct candor_recorder *r, int64_t v)
{
    /* Acquire: pairs with the reader's exchange, so that a writer of the new phase sees the new half. */
    int64_t epoch = __atomic_fetch_add(&r->start_epoch, 1, __ATOMIC_ACQ_REL);
    int32_t active = __atomic_load_n(&r->active, __ATOMIC_RELAXED); /* ordered by the addition above; the old phase may use the old half */
    bool good = candor_histogram_record_atomic(&r->halves[active], v);
    /* Release: pairs with the reader's acquire of the count, so that the reader sees the value. */
    __atomic_fetch_add(&r->end_epoch[epoch < 0], 1, __ATOMIC_RELEASE);
    return good;
}

/* Starts the next phase. When it returns, no writer uses a half that was active before. */
static void flip(struct candor_recorder *r)
{
    bool odd = __atomic_load_n(&r->start_epoch, __ATOMIC_RELAXED) < 0; /* only the reader changes the sign */
    int64_t first = odd ? 0 : INT64_MIN;
    __atomic_store_n(&r->end_epoch[!odd], first, __ATOMIC_RELAXED); /* published by the exchange; no writer is in that phase */
    int64_t came = __atomic_exchange_n(&r->start_epoch, first, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&r->end_epoch[odd], __ATOMIC_ACQUIRE) != came) /* pairs with the release of each writer */
        sched_yield();
}

const struct candor_histogram *candor_recorder_sample(struct candor_recorder *r)
{
    int32_t full = r->active;
    candor_histogram_reset(&r->halves[!full]);             /* no writer has used it since the last flip */
    __atomic_store_n(&r->active, !full, __ATOMIC_RELAXED); /* published by the exchange in flip */
    flip(r);
    return &r->halves[full];
}
