#include "agent/collect/clock/choose.h"

#include "agent/hot/layout.h"
#include "agent/hot/signal/handler.h"

#include <errno.h>

int choose_clock(struct clock *clock, enum clock_kind wanted, const struct event_counter *counter, uint64_t interval_ns, struct error *e)
{
    return counter->name[0] ? clock_choose_counting(clock, wanted, counter, interval_ns, e) : clock_choose(clock, wanted, interval_ns, e);
}

int choose_walker(enum walker wanted, bool carrier_frames, struct error *e)
{
    if (wanted == WALKER_AUTO)
        wanted = vm_layout.usable || !agct.function ? WALKER_VMSTRUCTS : WALKER_AGCT;
    if (wanted != WALKER_VMSTRUCTS && !agct.function)
        return error_set(e, -ENOTSUP, "this JVM has no AsyncGetCallTrace");
    handler_config.walker = wanted;
    handler_config.carrier_frames = carrier_frames || wanted == WALKER_COMPARE; /* AsyncGetCallTrace returns the carrier's frames */
    if (wanted == WALKER_VMSTRUCTS)
        return 0;
    agct.prepare();
    return agct_init() ? error_set(e, -ENOMEM, "not enough address space") : 0;
}
